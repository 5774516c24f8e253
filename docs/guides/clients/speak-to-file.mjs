// A sentence as an MP3, written while it is spoken: node speak-to-file.mjs OUT.mp3
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const speech = await trunkline.speak.stream({ input: 'Your appointment is tomorrow at nine.', voice: 'en1' });
await pipeline(speech, createWriteStream(process.argv[2]));
console.log(`${speech.voice} spoke at ${speech.sampleRate} Hz`);
