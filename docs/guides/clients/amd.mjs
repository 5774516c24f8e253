// Who answered a call, from what a carrier would stream: node amd.mjs CALL.ulaw
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const mulaw = await readFile(process.argv[2]); // 8 kHz
const stream = await trunkline.amd.stream({ aggressiveness: 0.5 });
const sending = (async () => {
  for (let at = 0; at < mulaw.length && stream.connection.isOpen; at += 160) {
    stream.send(mulaw.subarray(at, at + 160));
    await sleep(20);
  }
  stream.stop();
})();
const verdict = await stream.verdict();
console.log(`${verdict.answered_by} after ${verdict.at_ms} ms: ${verdict.reason}`);
stream.connection.close();
await sending;
