import { type Colour, colour } from '../../lib/colours'
import { canvasOf } from '../../ui/ChartFrame'

/** painted is the text of a drawing with the colours of the look in place of their names. */
export const painted = (svg: string, of: (token: Colour) => string) => svg.replace(/var\(--color-([a-z]+)\)/g, (_, token: string) => of(token as Colour))

/** svgPicture is the picture of a drawing. */
export async function svgPicture(svg: SVGSVGElement): Promise<HTMLCanvasElement> {
  const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height]
  const copy = svg.cloneNode(true) as SVGSVGElement
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  copy.setAttribute('font-family', getComputedStyle(document.documentElement).fontFamily)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(painted(new XMLSerializer().serializeToString(copy), colour))}`
  await image.decode()
  const { canvas, ctx } = canvasOf(width, height)
  ctx.drawImage(image, 0, 0, width, height)
  return canvas
}
