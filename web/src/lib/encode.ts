/** most is how large a file may be; see document.MaxBytes. */
const most = 64 * 2 ** 20

/** encode reads a file as base64, which the API takes. */
export async function encode(file: File): Promise<{ name: string; data: string }> {
  if (file.size > most) throw new Error(`${file.name} has ${Math.floor(file.size / 2 ** 20)} MB; a file may have ${most / 2 ** 20}. Split it, or export fewer columns.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return { name: file.name, data: btoa(text) }
}

/** parsed reads JSON that a person wrote; nothing is an empty object. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() || '{}')
  } catch (e) {
    throw new Error(`That is no JSON: ${(e as Error).message}`)
  }
}
