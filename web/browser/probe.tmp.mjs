import { readFileSync } from 'node:fs'
import { startBrowser, startDaemon } from '/work/main/web/browser/world.mjs'
const d = await startDaemon(); const o = new URL(d.login).origin
const w = await startBrowser(o); const p = await w.context.newPage()
const S=(n)=>p.screenshot({path:`/tmp/shots0/p-${n}.png`})
await p.goto(o); await p.getByText('Nobody').waitFor(); await S('stranger'); console.log('stranger', w.complaints.splice(0))
await p.goto(d.login)
await p.goto(o+'/threads'); await p.waitForTimeout(1500); await S('noproject'); console.log('threads without project:', await p.locator('main').innerText())
await p.goto(o+'/nonsense'); await p.waitForTimeout(800); console.log('nonsense:', await p.locator('main').innerText(), w.complaints.splice(0)); 
await p.goto(o+'/records/tkt_06gzrxrwyzjtx898pvaye58b20'); await p.waitForTimeout(2500); console.log('no record:', await p.locator('main').innerText(), w.complaints.splice(0)); 
await p.goto(o)
for (const n of ['Alpha','Beta']) { if (n==='Beta') await p.getByLabel('New project').click(); await p.getByLabel('Name of the project').fill(n); await p.getByText('Make the project').click(); await p.getByLabel('Name of the project').waitFor({state:'detached'}) }
console.log(p.url(), await p.getByLabel('Project',{exact:true}).inputValue())
await p.evaluate(() => { window.seen=[]; new MutationObserver(()=>{ const t=document.querySelector('article[data-status]'); if(t) { const s=t.dataset.status+' '+[...t.querySelectorAll('li')].map(x=>x.className).join(','); if(window.seen.at(-1)!==s) window.seen.push(s)} }).observe(document.body,{subtree:true,childList:true,attributes:true,characterData:true}) })
await p.getByLabel('Paste notes').fill(readFileSync('/work/main/demo/minutes.md','utf8')); await p.keyboard.press('Control+Enter')
await p.locator('article[data-status=DISPATCHED]').first().waitFor(); console.log(await p.evaluate(()=>window.seen))
await p.getByLabel('Files').setInputFiles('/work/main/demo/tickets.csv'); await p.getByText('Take in').click(); await p.waitForFunction(()=>document.querySelectorAll('article[data-status=DISPATCHED]').length===2)
console.log('file input after:', await p.getByLabel('Files').evaluate(e=>e.files.length))
await p.locator('nav').getByText('Tickets').click(); await p.locator('td a').first().click(); await p.getByText('Where it comes from').waitFor(); await S('csvrecord'); console.log('record url', p.url(), await p.getByLabel('Project',{exact:true}).evaluate(e=>e.selectedOptions[0].text)); console.log(await p.locator('main').innerText())
await p.locator('nav').getByText('Log').click(); w.complaints.splice(0)
for (const c of 'desk.t*') { await p.getByLabel('Type').pressSequentially(c); await p.waitForTimeout(150) }
await p.waitForTimeout(600); console.log('log filter', w.complaints.splice(0), (await p.locator('main').innerText()).slice(0,200))
const q=(x)=>o+x+'?project='
const id = await p.evaluate(async()=> (await (await fetch('/api/projects')).json()).items.find(x=>x.body.name==='Beta').id)
for (const path of ['/','/threads','/tickets','/people','/objectives','/deltas','/ask','/chat','/runs','/agents','/log']) for (const vw of [1280,390]) {
  await p.setViewportSize({width:vw,height:vw===390?844:800}); await p.goto(o+path+'?project='+id); await p.waitForTimeout(500)
  const bad = await p.evaluate(()=>[...document.querySelectorAll('*')].filter(e=>e.scrollWidth>e.clientWidth+1 && /auto|scroll/.test(getComputedStyle(e).overflowX)).map(e=>e.tagName+' '+e.className+' '+(e.scrollWidth-e.clientWidth)))
  if (bad.length) console.log(path, vw, bad)
  await S(`${vw}${path.replace('/','-')}`)
}
await p.setViewportSize({width:1280,height:800})
w.context.setDefaultTimeout(6000)
try { const tabs=[]; for (let i=0;i<8;i++){ const t=await w.context.newPage(); tabs.push(t); await t.goto(o+'/runs',{timeout:6000}); await t.locator('td').first().waitFor(); console.log('tab',i+2,'ok') } } catch(e){ console.log('tabs hang:', e.message.split('\n')[0]) }
console.log(w.complaints)
await w.browser.close(); await d.stop()
