import { spawn } from 'node:child_process';
import { phonemesProgram } from './addon.ts';

export interface Pronunciation {
  /** Of libespeak-ng, and the folder that holds its data. */
  readonly library: string;
  readonly data: string;
  readonly voice: string;
  readonly text: string;
}

const TIMEOUT_MS = 5000;
const NO_VOICE = 0xffffffff;

/** One text through the program that the engine pronounces with, for `doctor`. native/phonemes/main.cc has the layout. */
export async function pronounceOnce({ library, data, voice, text }: Pronunciation): Promise<string> {
  const child = spawn(phonemesProgram, [library, data], { timeout: TIMEOUT_MS });
  const parts: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => {
    said += part;
  });
  child.stdin.on('error', () => {}); // it has ended, and says why
  const request = Buffer.from(`${voice}\nplain\n${text}\n`);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(request.length);
  child.stdin.end(Buffer.concat([size, request]));
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const answer = Buffer.concat(parts);
  if (answer.length < 4) throw new Error(said.trim() || `${phonemesProgram} ended with ${ended}`);
  if (answer.readUInt32LE(0) === NO_VOICE) throw new Error(`there is no voice ${voice} in ${data}`);
  return answer.toString('utf8', 4).trim();
}
