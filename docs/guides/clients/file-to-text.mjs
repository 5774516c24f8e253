// A recording as text: node file-to-text.mjs RECORDING
import { readFile } from 'node:fs/promises';
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const file = new Blob([await readFile(process.argv[2])]);
const { text } = await trunkline.hear.transcribe(file, { language: 'en' });
console.log(text);
