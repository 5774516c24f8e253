// A recording in another language: node dub.mjs RECORDING OUT
import { readFile, writeFile } from 'node:fs/promises';
import { asForm, poll, Trunkline } from 'trunkline-client';

const { rest } = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const file = new Blob([await readFile(process.argv[2])]);
const { id } = await rest.postV1Dub({ body: { file, source: 'en', target: 'es' }, ...asForm });
const dub = await poll(
  () => rest.getV1DubId({ path: { id } }),
  ({ status }) => status === 'done' || status === 'error',
);
if (dub.status === 'error') throw new Error(JSON.stringify(dub.error));
const audio = await rest.getV1DubIdDownload({ path: { id } });
await writeFile(process.argv[3], new Uint8Array(await audio.arrayBuffer()));
console.log(`${dub.status}: ${audio.size} bytes of ${audio.type}`);
