import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { phonemesProgram } from './addon.ts';

export interface PronouncerPaths {
  readonly library: string;
  readonly data: string;
}

type Program = ChildProcessByStdio<Writable, Readable, null>;
interface PendingRequest {
  readonly lines: number;
  readonly resolve: (ipa: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

const NO_VOICE = 0xffffffff;
/** The program accepts more; small batches keep the requests behind them short. */
const LINES_AT_ONCE = 500;

/** Converts words to IPA in the engine's phonemizer program, which starts with the first word and stays. */
export class Pronouncer {
  readonly #place: PronouncerPaths;
  #program: Program | null = null;
  #asked: PendingRequest[] = [];
  #answer = Buffer.alloc(0);

  constructor(place: PronouncerPaths) {
    this.#place = place;
  }

  async pronounce(words: readonly string[], voice: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let from = 0; from < words.length; from += LINES_AT_ONCE)
      found.push(...(await this.#ask(words.slice(from, from + LINES_AT_ONCE), voice)));
    return found;
  }

  close(): void {
    this.#program?.kill('SIGKILL');
    this.#program = null;
  }

  #ask(words: readonly string[], voice: string): Promise<readonly string[]> {
    const program = this.#running();
    return new Promise((resolve, reject) => {
      this.#asked.push({ lines: words.length, resolve, reject });
      const lines = words.map((word) => `${word.replace(/[\r\n]+/g, ' ')}\n`).join('');
      const request = Buffer.from(`${voice}\nplain\n${lines}`);
      const size = Buffer.alloc(4);
      size.writeUInt32LE(request.length);
      program.stdin.write(Buffer.concat([size, request]));
    });
  }

  #running(): Program {
    if (this.#program !== null) return this.#program;
    const { library, data } = this.#place;
    const program = spawn(phonemesProgram, [library, data], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    program.unref();
    (program.stdin as Writable & { unref?(): void }).unref?.();
    program.stdout.on('data', (part: Buffer) => this.#read(part));
    program.stdin.on('error', () => {}); // it has ended, and `close` tells
    program.once('error', (error) => this.#lost(program, error));
    program.once('close', () => this.#lost(program, new Error(`${phonemesProgram} has ended`)));
    this.#program = program;
    return program;
  }

  #read(part: Buffer): void {
    this.#answer = Buffer.concat([this.#answer, part]);
    while (this.#answer.length >= 4) {
      const size = this.#answer.readUInt32LE(0);
      const bytes = size === NO_VOICE ? 0 : size;
      if (this.#answer.length < 4 + bytes) return;
      const said = this.#answer.toString('utf8', 4, 4 + bytes);
      this.#answer = this.#answer.subarray(4 + bytes);
      this.#settle(size === NO_VOICE ? null : said.split('\n'));
    }
  }

  #settle(lines: readonly string[] | null): void {
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    if (lines === null) asked.reject(new Error('there is no such voice'));
    else asked.resolve(lines.slice(0, asked.lines).map((line) => line.trim()));
  }

  #lost(program: Program, error: Error): void {
    if (this.#program !== program) return;
    this.#program = null;
    this.#answer = Buffer.alloc(0);
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}
