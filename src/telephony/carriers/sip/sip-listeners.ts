import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { SipEvent, SipOrder } from './program.ts';
import type { SipListen, SipSettings } from './settings.ts';

const WITHIN_MS = 5_000;

/**
 * The duration of a session without a refresh, and the minimum that is accepted (RFC 4028). The program's defaults
 * apply when this is absent.
 */
export interface SessionTimes {
  readonly seconds: number;
  readonly least: number;
}

export class SipListeners {
  readonly #clock: Clock;
  readonly #send: (order: SipOrder) => void;
  readonly #tls: SipSettings['tls'];
  readonly #session: SessionTimes | null;
  readonly #waiting = new Map<string, (problem: string | null) => void>();
  #certificates: string | null = null;

  constructor(
    clock: Clock,
    send: (order: SipOrder) => void,
    tls: SipSettings['tls'],
    session: SessionTimes | null,
  ) {
    this.#clock = clock;
    this.#send = send;
    this.#tls = tls;
    this.#session = session;
  }

  async open({ transport, address, port }: SipListen): Promise<void> {
    const host = address.includes(':') ? `[${address}]` : address;
    const url = `${transport === 'tls' ? 'sips' : 'sip'}:${host}:${port};transport=${transport}`;
    const certificates = transport === 'tls' ? await this.#folder() : '';
    const problem = await new Promise<string | null>((resolve) => {
      const late = this.#clock.after(WITHIN_MS, () => resolve('the program does not respond'));
      this.#waiting.set(url, (said) => {
        late();
        resolve(said);
      });
      const session = this.#session;
      const times = session === null ? {} : { session_s: session.seconds, least_session_s: session.least };
      this.#send({ do: 'listen', url, transport, port, certificates, ...times });
    });
    if (problem !== null) throw new Error(`cannot listen on ${transport}://${host}:${port}: ${problem}`);
  }

  take(event: SipEvent): boolean {
    if (event.event !== 'listening' && (event.event !== 'failed' || event.what !== 'listen')) return false;
    const url = String(event.url);
    this.#waiting.get(url)?.(event.event === 'listening' ? null : String(event.reason));
    this.#waiting.delete(url);
    return true;
  }

  async close(): Promise<void> {
    if (this.#certificates !== null) await rm(this.#certificates, { recursive: true, force: true });
    this.#certificates = null;
  }

  /** Writes key and certificate into one file of the name that sofia-sip expects. */
  async #folder(): Promise<string> {
    if (this.#certificates !== null || this.#tls === null) return this.#certificates ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-sip-'));
    this.#certificates = folder;
    const certificate = await readFile(this.#tls.cert, 'utf8');
    const both = `${await readFile(this.#tls.key, 'utf8')}\n${certificate}`;
    await writeFile(join(folder, 'agent.pem'), both, { mode: 0o600 });
    const { ca } = this.#tls;
    const vouching = ca === null ? rootCertificates.join('\n') : await readFile(ca, 'utf8');
    await writeFile(join(folder, 'cafile.pem'), vouching, { mode: 0o600 });
    return folder;
  }
}
