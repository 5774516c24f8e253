import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { isLoopbackAddress } from '../url-gate/address.ts';
import { networkProblem } from './networks.ts';
import { protect } from './redact.ts';
import { environmentName, fileName, SETTINGS, type SettingName, type Settings } from './settings.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type Config = Settings;

/** The error carries every problem at once, so that one restart shows them all. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `the configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
const FILE_VARIABLE = 'TRUNKLINE_CONFIG';
const FOLDERS: readonly SettingName[] = ['data', 'models', 'modelsFrom'];
/** The tests, the build and the kernels read these; they are no settings of the server. */
const NON_SERVER_VARIABLES = ['TRUNKLINE_TEST_', 'TRUNKLINE_BUILD_', 'TRUNKLINE_CPU'];
const CLIENT_VARIABLES = ['TRUNKLINE_URL', 'TRUNKLINE_KEY', 'TRUNKLINE_VOICE_KEY', 'TRUNKLINE_CALLER_KEY'];

/**
 * The environment takes precedence over the file, and the file over the fallback. Throws ConfigError with every
 * problem.
 */
export function loadConfig(environment: EnvironmentVariables, workingFolder = process.cwd()): Config {
  const problems: string[] = [];
  const file = readFile(environment[FILE_VARIABLE], workingFolder, problems);
  reportUnknown(environment, file, problems);
  const settings: Record<string, unknown> = {};
  for (const name of NAMES) {
    settings[name] = readSetting(name, environment, file, problems);
  }
  checkTogether(settings as unknown as Settings, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  if (typeof settings.baseUrl === 'string') settings.baseUrl = settings.baseUrl.replace(/\/+$/, '');
  for (const name of FOLDERS) {
    if (settings[name] !== null) settings[name] = resolve(workingFolder, String(settings[name]));
  }
  return protect(settings as unknown as Settings);
}

function readFile(path: string | undefined, folder: string, problems: string[]): Record<string, unknown> {
  if (!path) return {};
  try {
    const parsed: unknown = JSON.parse(readFileSync(resolve(folder, path), 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Record<string, unknown>;
    }
    problems.push(`${FILE_VARIABLE}: ${path} must contain a JSON object`);
  } catch (error) {
    // The parser's message quotes the text around the error, which may contain a secret.
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
    problems.push(`${FILE_VARIABLE}: cannot read ${path}: ${why}`);
  }
  return {};
}

function reportUnknown(
  environment: EnvironmentVariables,
  file: Record<string, unknown>,
  problems: string[],
): void {
  const variables = new Set([...NAMES.map(environmentName), FILE_VARIABLE, ...CLIENT_VARIABLES]);
  for (const variable of Object.keys(environment)) {
    if (
      !variable.startsWith('TRUNKLINE_') ||
      NON_SERVER_VARIABLES.some((prefix) => variable.startsWith(prefix))
    )
      continue;
    if (!variables.has(variable)) {
      problems.push(`${variable} is not a setting${suggestion(variable, variables)}`);
    }
  }
  const keys = new Set(NAMES.map(fileName));
  for (const key of Object.keys(file)) {
    if (!keys.has(key)) problems.push(`${key} in the file is not a setting${suggestion(key, keys)}`);
  }
}

function suggestion(wrong: string, known: Iterable<string>): string {
  for (const name of known) {
    if (distance(wrong, name) <= 2) return `; did you mean ${name}?`;
  }
  return '';
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + change));
    }
    row = next;
  }
  return row[b.length]!;
}

function readSetting(
  name: SettingName,
  environment: EnvironmentVariables,
  file: Record<string, unknown>,
  problems: string[],
): unknown {
  const { schema, fallback } = SETTINGS[name];
  const variable = environmentName(name);
  const said = environment[variable];
  const fromFile = file[fileName(name)];
  if (said === undefined || said === '') {
    if (fromFile === undefined || fromFile === null) return fallback;
    return checked(fromFile, schema, `${fileName(name)} in the file`, name, problems);
  }
  return checked(fromText(said, schema), schema, variable, name, problems);
}

function fromText(said: string, schema: TSchema): unknown {
  const type = (schema as { type?: string }).type;
  if (type === 'integer') return /^-?\d+$/.test(said) ? Number(said) : said;
  if (type === 'boolean')
    return { true: true, '1': true, false: false, '0': false }[said.toLowerCase()] ?? said;
  if (type === 'array') {
    return said
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  return said;
}

function checked(
  value: unknown,
  schema: TSchema,
  source: string,
  name: SettingName,
  problems: string[],
): unknown {
  if (!Value.Check(schema, value)) {
    const shown = 'secret' in SETTINGS[name] ? '' : `, received ${JSON.stringify(value)}`;
    problems.push(`${source} must be ${expectation(schema)}${shown}`);
  }
  return value;
}

interface Described {
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  description?: string;
}

export function expectation(schema: TSchema): string {
  const said = schema as Described;
  if (said.enum) return `one of ${said.enum.join(', ')}`;
  if (said.description) return said.description;
  if (said.type === 'integer') return `an integer from ${said.minimum} to ${said.maximum}`;
  if (said.type === 'boolean') return 'true or false';
  if (said.type === 'array') return 'a list of strings';
  return (said.minLength ?? 0) > 1 ? `a string of at least ${said.minLength} characters` : 'a string';
}

const ADDRESSES = [
  'baseUrl',
  'redisUrl',
  's3Endpoint',
  'brainUrl',
  'otlpUrl',
  'msgappUrl',
  'smtpUrl',
  'complianceNetworkUrl',
] as const satisfies readonly SettingName[];

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

function checkAddresses(settings: Settings, problems: string[]): void {
  for (const name of ADDRESSES) {
    const said = settings[name];
    // Even text that is not a URL may contain a secret.
    if (typeof said === 'string' && !URL.canParse(said))
      problems.push(`${environmentName(name)} is not a valid URL`);
  }
  const base = settings.baseUrl;
  if (typeof base !== 'string' || !URL.canParse(base)) return;
  const { search, hash, username, password } = new URL(base);
  if (search + hash + username + password !== '')
    problems.push('TRUNKLINE_BASE_URL must not have a query, a fragment, a user or a password');
}

export const portRange = (said: string): [number, number] => {
  const [first = 0, last = 0] = String(said).split('-').map(Number);
  return [first, last];
};

/** Carriers receive whole documents, so the connection must be encrypted. */
function checkNetwork(settings: Settings, problems: string[]): void {
  const { complianceNetwork, complianceNetworkUrl: said, complianceNetworkSecret: secret } = settings;
  if (complianceNetwork === 'http' && (said === null || secret === null)) {
    problems.push(
      'TRUNKLINE_COMPLIANCE_NETWORK=http needs TRUNKLINE_COMPLIANCE_NETWORK_URL and TRUNKLINE_COMPLIANCE_NETWORK_SECRET',
    );
  }
  if (typeof said !== 'string' || !URL.canParse(said)) return;
  const { protocol, hostname, search, hash } = new URL(said);
  const here = hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
  if (protocol !== 'https:' && !here)
    problems.push('TRUNKLINE_COMPLIANCE_NETWORK_URL must use https, except for an address of this machine');
  if (search + hash !== '')
    problems.push('TRUNKLINE_COMPLIANCE_NETWORK_URL must not have a query or a fragment');
}

function checkTogether(settings: Settings, problems: string[]): void {
  checkAddresses(settings, problems);
  checkNetwork(settings, problems);
  if (typeof settings.timeZone === 'string' && !isTimeZone(settings.timeZone)) {
    problems.push(`TRUNKLINE_TIME_ZONE: ${settings.timeZone} is not an IANA time zone such as Europe/Madrid`);
  }
  for (const proxy of Array.isArray(settings.trustedProxies) ? settings.trustedProxies : []) {
    const problem = networkProblem(proxy);
    if (problem) problems.push(`TRUNKLINE_TRUSTED_PROXIES: ${proxy} ${problem}`);
  }
  const [first, last] = portRange(settings.webrtcPorts);
  if (!(first >= 1024 && first <= last && last <= 65_535))
    problems.push('TRUNKLINE_WEBRTC_PORTS must be a range of ports from 1024 to 65535');
  if ((settings.s3AccessKeyId === null) !== (settings.s3SecretAccessKey === null)) {
    problems.push(
      'TRUNKLINE_S3_ACCESS_KEY_ID and TRUNKLINE_S3_SECRET_ACCESS_KEY must both be set, or neither',
    );
  }
  if (settings.s3Endpoint !== null && settings.s3Bucket === null) {
    problems.push('TRUNKLINE_S3_ENDPOINT needs TRUNKLINE_S3_BUCKET');
  }
  if (settings.smtpUrl !== null && settings.mailFrom === null) {
    problems.push('TRUNKLINE_SMTP_URL needs TRUNKLINE_MAIL_FROM');
  }
  if (settings.brainUrl !== null && settings.brainModel === null) {
    problems.push('TRUNKLINE_BRAIN_URL needs TRUNKLINE_BRAIN_MODEL');
  }
}
