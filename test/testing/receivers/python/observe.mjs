// What the kit asks of the shop, over HTTP, and the gate, which is two files.
import { rmSync, writeFileSync } from 'node:fs'

const { SHOP_PORT, SHOP_GATE } = process.env

async function ask(action, invoice) {
  const response = await fetch(`http://127.0.0.1:${SHOP_PORT}/${action}?id=${invoice}`)
  return response.json()
}

export const observe = (invoice) => ask('observe', invoice)
export const bookByHand = (invoice) => ask('book', invoice)
export const gate = {
  hold: () => writeFileSync(`${SHOP_GATE}/hold`, ''),
  release: () => rmSync(`${SHOP_GATE}/hold`, { force: true }),
  failOnce: () => writeFileSync(`${SHOP_GATE}/fail`, ''),
}
