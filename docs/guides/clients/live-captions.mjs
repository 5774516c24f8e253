// Live captions of what a microphone recorded, at the speed of speech: node live-captions.mjs MICROPHONE.wav
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const wav = await readFile(process.argv[2]); // PCM16, one channel
const sampleRate = wav.readUInt32LE(24);
const pcm = wav.subarray(wav.indexOf('data') + 8);

const stream = await trunkline.hear.stream({ language: 'en', sampleRate });
const frameBytes = sampleRate / 5; // 100 ms
const sending = (async () => {
  for (let at = 0; at < pcm.length; at += frameBytes) {
    stream.send(new Uint8Array(pcm.subarray(at, at + frameBytes)));
    await sleep(100);
  }
  stream.finish();
})();

for await (const frame of stream) {
  if (frame.type === 'partial') console.log(`… ${frame.text}`);
  if (frame.type === 'final' && frame.text) console.log(`= ${frame.text}`);
}
await sending;
