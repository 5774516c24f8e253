/** SIPp (Debian's sip-tester) and baresip are real peers. Where one is missing its tests are skipped by name. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Engine, telephonyLibraries } from '../../../../src/media/engine/index.ts';
import type {
  IncomingCall,
  LegState,
  MediaLeg,
  RejectReason,
} from '../../../../src/telephony/carriers/index.ts';
import { type Registration, SipCarrier, sipSettings } from '../../../../src/telephony/carriers/sip/index.ts';

const run = promisify(execFile);
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const found = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const program = fileURLToPath(new URL('../../../../lib/binding/trunkline-sip', import.meta.url));
/** Returns why a test that needs these is skipped, or null when all are installed. */
export function lacking(...needs: ('sipp' | 'baresip')[]): string | null {
  if (!existsSync(program)) return 'trunkline-sip is not built: apt-get install libsofia-sip-ua-dev';
  const packages = { sipp: 'sip-tester', baresip: 'baresip-core' } as const;
  const missing = needs.filter((need) => !found(need));
  return missing.length === 0 ? null : `apt-get install ${missing.map((need) => packages[need]).join(' ')}`;
}
export const hasOpus = (): boolean => telephonyLibraries().opus;

/** Each of the runner's workers gets a thousand ports that the file before has not just used. */
const WORKER = Number(process.env.VITEST_POOL_ID ?? 0) % 16;
let nextPort = 15000 + WORKER * 1000 + (process.pid % 40) * 10;
export const freePort = (): number => (nextPort += 2);

export interface SipMessages {
  readonly call: IncomingCall;
  readonly states: LegState[];
  readonly keys: string[];
  readonly holds: boolean[];
  untilHeld(on: boolean): Promise<void>;
  until<Kind extends LegState['kind']>(kind: Kind): Promise<LegState & { kind: Kind }>;
}

export interface World {
  readonly carrier: SipCarrier;
  readonly engine: Engine;
  readonly port: number;
  readonly calls: SipMessages[];
  readonly registrations: Registration[];
  readonly errors: string[];
  call(): Promise<SipMessages>;
  registration(): Promise<Registration>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly trunk?: Record<string, unknown>;
  readonly on?: (call: IncomingCall, answer: () => void) => void;
  readonly media?: (media: MediaLeg) => void;
  readonly unknown?: boolean;
  readonly turnsAway?: RejectReason;
  readonly listen?: (port: number) => string[];
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
  readonly session?: { readonly seconds: number; readonly least: number };
  readonly ports?: string;
}

export const OWN_NUMBER = '+14155550100';
/** Three seconds of sound: the far side has heard most of it once this much has come from there. */
export const ENOUGH_FRAMES = 150;

export async function openWorld(peerPort: number, options: WorldOptions = {}): Promise<World> {
  const engine = new Engine({ capacity: 100_000, slots: 512 });
  await engine.prepared();
  const port = freePort();
  const own = { name: 'peer', host: '127.0.0.1', port: peerPort, numbers: [OWN_NUMBER], refer: true };
  const trunk = { ...own, ...options.trunk };
  const settings = sipSettings({
    sipListen: options.listen?.(port) ?? [`udp://127.0.0.1:${port}`, `tcp://127.0.0.1:${port}`],
    sipRealm: null,
    sipRtpPorts: options.ports ?? '34000-39999',
    sipTlsCert: options.tls?.cert ?? null,
    sipTlsKey: options.tls?.key ?? null,
    sipTlsCa: options.tls?.ca ?? null,
    sipTrunks: JSON.stringify([trunk]),
  });
  const calls: SipMessages[] = [];
  const registrations: Registration[] = [];
  const errors: string[] = [];
  let woken: (() => void)[] = [];
  const wake = () => {
    const all = woken;
    woken = [];
    for (const one of all) one();
  };
  const changed = () => new Promise<void>((resolve) => woken.push(resolve));
  const carrier = new SipCarrier({
    settings,
    engine,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
    ...(options.session === undefined ? {} : { session: options.session }),
    registered: (_, registration) => {
      registrations.push(registration);
      wake();
    },
    onError: (error) => void errors.push(String(error)),
  });
  carrier.incoming((call) => {
    if (options.unknown === true) return null;
    const { turnsAway } = options;
    if (turnsAway !== undefined) setImmediate(() => void call.reject(turnsAway));
    const reported: SipMessages = {
      call,
      states: [],
      keys: [],
      holds: [],
      untilHeld: async (on) => {
        while (reported.holds.at(-1) !== on) await changed();
      },
      until: async (kind) => {
        for (;;) {
          const state = reported.states.find((one) => one.kind === kind);
          if (state !== undefined) return state as never;
          await changed();
        }
      },
    };
    calls.push(reported);
    const answer = () => void call.answer();
    queueMicrotask(() => {
      if (options.on === undefined) answer();
      else options.on(call, answer);
    });
    wake();
    return {
      state: (state) => {
        reported.states.push(state);
        if (state.kind === 'answered') options.media?.(state.media);
        wake();
      },
      key: (digit) => {
        reported.keys.push(digit);
        wake();
      },
      held: (on) => {
        reported.holds.push(on);
        wake();
      },
    };
  });
  await carrier.start();
  return {
    carrier,
    engine,
    port,
    calls,
    registrations,
    errors,
    call: async () => {
      while (calls.length === 0) await changed();
      return calls[0] as SipMessages;
    },
    registration: async () => {
      while (registrations.length === 0) await changed();
      return registrations[0] as Registration;
    },
    close: async () => {
      await carrier.stop();
      engine.destroy();
    },
  };
}

export async function throwAt(port: number): Promise<void> {
  const socket = createSocket('udp4');
  const invite = (headers: string, body = ''): string =>
    `INVITE sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK1\r\n${headers}\r\n\r\n${body}`;
  const messages = [
    '',
    '\r\n\r\n',
    'hello',
    `INVITE ${'x'.repeat(60_000)}`,
    invite('Content-Length: 4294967295'),
    invite('From: <<<<>>>>\r\nTo: ;;;;\r\nCall-ID: \r\nCSeq: -1 INVITE'),
    invite(
      'From: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\nContact: *\r\nContent-Length: 9',
      'v=0\r\nm=au',
    ),
    `REGISTER sip:x SIP/9.9\r\n${'A: b\r\n'.repeat(4000)}\r\n`,
    'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP nobody\r\n\r\n',
  ];
  for (const message of messages)
    await new Promise<void>((resolve) =>
      socket.send(Buffer.from(message, 'latin1'), port, '127.0.0.1', () => resolve()),
    );
  socket.close();
}

/** Returns the CPU time of the signalling program of this process in milliseconds; there is one at a time. */
export function spentMs(): number {
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const stat = ((): string => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8');
      } catch {
        return '';
      }
    })();
    const [, program = '', rest = ''] = /\((.*)\) (.*)/.exec(stat) ?? [];
    const fields = rest.split(' ');
    // The kernel counts a hundred ticks a second.
    if (program === 'trunkline-sip' && Number(fields[1]) === process.pid)
      return (Number(fields[11]) + Number(fields[12])) * 10;
  }
  throw new Error('there is no signalling program');
}

export async function answersTo(port: number, from = '127.0.0.1'): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, from);
  await once(socket, 'listening');
  const own = `${from}:${socket.address().port}`;
  let answers = 0;
  const answered = new Promise<void>((resolve) => {
    socket.on('message', () => {
      answers++;
      resolve();
    });
  });
  const message = [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${socket.address().port}`,
    `From: <sip:a@${own}>;tag=1`,
    `To: <sip:127.0.0.1:${port}>`,
    `Call-ID: ${own}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ].join('\r\n');
  socket.send(`${message}\r\n\r\n`, port, '127.0.0.1');
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 500))]);
  socket.close();
  return answers;
}

export interface SippEnd {
  readonly code: number;
  readonly said: string;
}

export async function sipp(scenario: string, target: number, args: readonly string[]): Promise<SippEnd> {
  const which = scenario.endsWith('.xml') ? ['-sf', here(`scenarios/${scenario}`)] : ['-sn', scenario];
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'));
  try {
    const all = [...which, `127.0.0.1:${target}`, '-i', '127.0.0.1', '-nostdin', '-timeout', '30s', ...args];
    const done = await run('sipp', all, { cwd: folder, timeout: 40_000 }).catch(
      (error: { code?: number; stdout?: string; stderr?: string }) => error,
    );
    const code = 'code' in done && typeof done.code === 'number' ? done.code : 0;
    return { code, said: `${done.stdout ?? ''}${done.stderr ?? ''}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves once the scenario listens; `stop` ends it. `files` are in its working directory. */
export async function sippServer(
  scenario: string,
  port: number,
  args: readonly string[] = [],
  files: Readonly<Record<string, Buffer>> = {},
): Promise<{ stop(): Promise<void>; ended: Promise<number> }> {
  const which = scenario.endsWith('.xml') ? ['-sf', here(`scenarios/${scenario}`)] : ['-sn', scenario];
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const child = spawn('sipp', [...which, '-i', '127.0.0.1', '-p', String(port), '-nostdin', ...args], {
    stdio: 'ignore',
    cwd: folder,
  });
  const ended = once(child, 'close').then(([code]) => {
    rmSync(folder, { recursive: true, force: true });
    return Number(code);
  });
  // The kernel refuses a message that comes before it listens, and the call fails.
  const bound = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  while (child.exitCode === null && !readFileSync('/proc/net/udp', 'utf8').includes(bound))
    await new Promise((resolve) => setTimeout(resolve, 10));
  return { ended, stop: () => end(child) };
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await closed;
  clearTimeout(late);
}
