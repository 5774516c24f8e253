import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { ConfigError, networkProblem } from '../../../foundation/platform/config/index.ts';

export type SipTransport = 'udp' | 'tcp' | 'tls';

const Text = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\s<>"]+$' });
const Trunk = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
    host: Text,
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
    transport: Type.Optional(Type.Enum(['udp', 'tcp', 'tls'])),
    register: Type.Optional(Type.Boolean()),
    username: Type.Optional(Text),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    allow: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
    refer: Type.Optional(Type.Boolean()),
    replaces: Type.Optional(Type.Boolean()),
    numbers: Type.Optional(
      Type.Array(Type.String({ pattern: '^\\+[1-9][0-9]{2,14}$' }), { maxItems: 10_000 }),
    ),
  },
  { additionalProperties: false },
);

export interface SipTrunk {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly transport: SipTransport;
  readonly register: boolean;
  readonly username: string | null;
  readonly password: string | null;
  readonly allow: readonly string[];
  /**
   * The trunk accepts a REFER and connects its party with the target of a cold transfer. The connected call is
   * neither metered nor limited here, so that the operator sets this only for a telephone system that charges
   * nothing.
   */
  readonly refer: boolean;
  /** The trunk accepts a REFER with Replaces: it connects two of its parties, unmetered as with `refer`. */
  readonly replaces: boolean;
  readonly numbers: readonly string[];
}

export interface SipListen {
  readonly transport: SipTransport;
  readonly address: string;
  readonly port: number;
}

export interface SipSettings {
  readonly listen: readonly SipListen[];
  /** The domain of this server's addresses; null stands for the trunk's host. */
  readonly realm: string | null;
  readonly ports: { readonly from: number; readonly to: number };
  /** The values are paths. `ca` verifies the trunks' certificates; null stands for the authorities that browsers trust. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string | null } | null;
  readonly trunks: readonly SipTrunk[];
}

export interface SipConfig {
  readonly sipListen: readonly string[];
  readonly sipRealm: string | null;
  readonly sipRegistrar?: boolean;
  readonly sipRtpPorts: string;
  readonly sipTlsCert: string | null;
  readonly sipTlsKey: string | null;
  readonly sipTlsCa: string | null;
  readonly sipTrunks: string | null;
}

/** Throws ConfigError with every problem; passwords are never shown. */
export function sipSettings(config: SipConfig): SipSettings {
  const problems: string[] = [];
  const listen = config.sipListen.flatMap((text) => listenOf(text, problems));
  const trunks = trunksOf(config.sipTrunks, problems);
  const ports = portsOf(config.sipRtpPorts, problems);
  if (config.sipRegistrar === true && config.sipRealm === null)
    problems.push('TRUNKLINE_SIP_REGISTRAR requires TRUNKLINE_SIP_REALM, the domain of the telephones');
  const { sipTlsCert: cert, sipTlsKey: key, sipTlsCa: ca } = config;
  const tls = cert !== null && key !== null ? { cert, key, ca } : null;
  if (listen.some(({ transport }) => transport === 'tls') && tls === null)
    problems.push('TRUNKLINE_SIP_LISTEN: tls:// needs TRUNKLINE_SIP_TLS_CERT and TRUNKLINE_SIP_TLS_KEY');
  for (const { name, transport } of trunks)
    if (!listen.some((one) => one.transport === transport))
      problems.push(
        `TRUNKLINE_SIP_TRUNKS: ${name} speaks ${transport}, and TRUNKLINE_SIP_LISTEN has no ${transport}://`,
      );
  if (problems.length > 0) throw new ConfigError(problems);
  return { listen, realm: config.sipRealm, ports, tls, trunks };
}

function listenOf(text: string, problems: string[]): SipListen[] {
  const found = /^(udp|tcp|tls):\/\/(\[[0-9a-fA-F:]+\]|[0-9.]+)(?::([0-9]{1,5}))?$/.exec(text);
  const port = Number(found?.[3] ?? (found?.[1] === 'tls' ? 5061 : 5060));
  const address = found?.[2]?.replace(/[[\]]/g, '') ?? '';
  if (found === null || networkProblem(address) !== undefined || port < 1 || port > 65535) {
    problems.push(`TRUNKLINE_SIP_LISTEN: '${text}' is not udp://ADDRESS:PORT, tcp:// or tls://`);
    return [];
  }
  return [{ transport: found[1] as SipTransport, address, port }];
}

function portsOf(text: string, problems: string[]): SipSettings['ports'] {
  const [from = 0, to = 0] = text.split('-').map(Number);
  if (/^[0-9]{4,5}-[0-9]{4,5}$/.test(text) && from >= 1024 && from < to && to <= 65535) return { from, to };
  problems.push(
    `TRUNKLINE_SIP_RTP_PORTS: '${text}' is not a range of ports from 1024 to 65535, such as 20000-20999`,
  );
  return { from: 20000, to: 20999 };
}

function trunksOf(text: string | null, problems: string[]): SipTrunk[] {
  if (text === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    problems.push('TRUNKLINE_SIP_TRUNKS: it is not JSON');
    return [];
  }
  if (!Array.isArray(list)) {
    problems.push('TRUNKLINE_SIP_TRUNKS: it is not a list');
    return [];
  }
  const said = list.flatMap((entry, at) => trunkProblems(entry, at, list as { name?: unknown }[]));
  problems.push(...said.map((problem) => `TRUNKLINE_SIP_TRUNKS: ${problem}`));
  return said.length > 0 ? [] : list.map((entry) => trunkOf(entry as Static<typeof Trunk>));
}

function trunkProblems(entry: unknown, at: number, list: readonly { name?: unknown }[]): string[] {
  const [error] = Value.Errors(Trunk, entry);
  if (error !== undefined) return [`entry ${at + 1}${error.instancePath} ${error.message}`];
  const { name, register, username, password, allow = [] } = entry as Static<typeof Trunk>;
  const problems: string[] = [];
  if (list.findIndex((other) => other?.name === name) !== at) problems.push(`${name} is listed twice`);
  if (register === true && (username === undefined || password === undefined))
    problems.push(`${name} registers, but has no username or no password`);
  for (const net of allow) {
    const problem = networkProblem(net);
    if (problem !== undefined) problems.push(`allow of ${name}: ${net} ${problem}`);
  }
  return problems;
}

const trunkOf = (trunk: Static<typeof Trunk>): SipTrunk => ({
  name: trunk.name,
  host: trunk.host,
  transport: trunk.transport ?? 'udp',
  port: trunk.port ?? (trunk.transport === 'tls' ? 5061 : 5060),
  register: trunk.register ?? false,
  username: trunk.username ?? null,
  password: trunk.password ?? null,
  allow: trunk.allow ?? [],
  refer: trunk.refer ?? false,
  replaces: trunk.replaces ?? false,
  numbers: trunk.numbers ?? [],
});
