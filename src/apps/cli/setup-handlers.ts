import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { resetPage } from '../../foundation/access/index.ts';
import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import { type Config, ConfigError, loadConfig } from '../../foundation/platform/config/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { openOrFailStart } from '../../foundation/platform/start-error.ts';
import { hasDatabase } from '../../foundation/storage/index.ts';
import { openCoreServices } from '../../main/main.ts';
import type { CliContext } from './command.ts';
import type { SetupOptions } from './setup.ts';

const THIS_MACHINE = 'localhost';
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const E_MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** A model's name may contain an @. */
const ENDPOINT = /^(?<name>\S+)@(?<url>https?:\/\/[^\s@]+)$/;
const FOR_ITS_OWNER = 0o600;
const FOR_EVERY_READER = 0o644;
const PORT = 8080;
/** The answers decide these settings; every other setting of an earlier file stays. */
const ANSWERED = [
  'base_url',
  'host',
  'trusted_proxies',
  'carrier',
  'brain_url',
  'brain_model',
  'brain_gguf',
] as const;
type Answered = Partial<Record<(typeof ANSWERED)[number], unknown>>;
type ConfigurationFile = Record<string, unknown>;

interface Question {
  readonly option: 'domain' | 'tls' | 'carrier' | 'model' | 'email';
  readonly text: string;
  readonly fallback: (answers: Partial<Answers>) => string;
  readonly problem: (answer: string, answers: Partial<Answers>) => string | undefined;
}

type Answers = Record<Question['option'], string>;

const oneOf =
  (...names: string[]) =>
  (answer: string) =>
    names.includes(answer) ? undefined : `expected one of ${names.join(', ')}`;

const QUESTIONS: readonly Question[] = [
  {
    option: 'domain',
    text: 'Public host name (localhost: only this machine)',
    fallback: () => THIS_MACHINE,
    problem: (answer) =>
      answer === THIS_MACHINE || HOST_NAME.test(answer)
        ? undefined
        : 'expected a host name such as voice.example.com, in lower case and without https://',
  },
  {
    option: 'tls',
    text: 'TLS: acme (Caddy obtains certificates), proxy (your own proxy on this machine) or none',
    fallback: ({ domain }) => (domain === THIS_MACHINE ? 'none' : 'acme'),
    problem: (answer, { domain }) =>
      oneOf('acme', 'proxy', 'none')(answer) ??
      (answer === 'acme' && domain === THIS_MACHINE ? 'acme needs a public host name' : undefined),
  },
  {
    option: 'carrier',
    text: 'Carrier: none, loopback (trial numbers on this machine), twilio or sip',
    fallback: () => 'loopback',
    problem: oneOf('none', 'loopback', 'twilio', 'sip'),
  },
  {
    option: 'model',
    text: 'Language model: none, NAME@URL of an OpenAI-compatible model, or the path of a GGUF file',
    fallback: () => 'none',
    problem: (answer) => {
      if (answer === 'none' || ENDPOINT.test(answer)) return undefined;
      if (!answer.endsWith('.gguf')) return 'expected none, NAME@https://… or the path of a .gguf file';
      return existsSync(answer) ? undefined : `there is no file ${answer}`;
    },
  },
  {
    option: 'email',
    text: 'E-mail address of the first account (none: no account)',
    fallback: () => 'none',
    problem: (answer) =>
      answer === 'none' || E_MAIL.test(answer) ? undefined : 'expected an e-mail address',
  },
];

type Ask = (question: string) => Promise<string>;

export async function setUp(context: CliContext, options: SetupOptions): Promise<void> {
  const file = resolve(options.out);
  if (mustStay(file, options, context)) return;
  const isInteractive = !options.yes && process.stdin.isTTY === true;
  const terminal = isInteractive
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined;
  try {
    const answers = await answersOf(options, terminal && ((text) => terminal.question(text)), context);
    if (answers === undefined) return;
    if (answers.tls === 'acme' && mustStay(caddyfileBy(file), options, context)) return;
    await carryOut(answers, file, context);
  } finally {
    terminal?.close();
  }
}

function mustStay(file: string, { replace }: SetupOptions, context: CliContext): boolean {
  if (replace || !existsSync(file)) return false;
  context.error(`error: ${file} already exists and was not changed; use --replace to overwrite it`);
  context.exit(1);
  return true;
}

async function answersOf(
  options: SetupOptions,
  ask: Ask | undefined,
  context: CliContext,
): Promise<Answers | undefined> {
  const answers: Partial<Answers> = {};
  for (const question of QUESTIONS) {
    const { option, problem, text } = question;
    const fallback = question.fallback(answers);
    for (let given = options[option]; ; given = undefined) {
      const answer = given ?? (ask ? (await ask(`${text} [${fallback}]: `)).trim() || fallback : fallback);
      const wrong = problem(answer, answers);
      if (wrong === undefined) {
        answers[option] = answer;
        break;
      }
      context.error(`error: --${option} ${answer}: ${wrong}`);
      if (!ask || given !== undefined) {
        context.exit(2);
        return undefined;
      }
    }
  }
  return answers as Answers;
}

async function carryOut(answers: Answers, file: string, context: CliContext): Promise<void> {
  const environment = { ...context.environment, TRUNKLINE_CONFIG: file };
  const settings = await completed(mergedSettings(answers, earlierSettings(file)), file, context);
  replaceFile(file, `${JSON.stringify(settings, null, 2)}\n`, FOR_ITS_OWNER, context);
  context.out(`${file}: the configuration, including its secrets; store it safely`);
  if (answers.tls === 'acme') {
    const caddy = caddyfileBy(file);
    replaceFile(caddy, caddyfile(answers.domain), FOR_EVERY_READER, context);
    context.out(
      `${caddy}: the configuration of Caddy, which obtains the certificate of ${answers.domain}; start it with: caddy run`,
    );
  }
  for (const line of missingOf(answers, settings)) context.out(line);
  if (answers.email !== 'none') await createFirstAccount(answers.email, environment, context);
  context.out(`start it with: TRUNKLINE_CONFIG=${file} npx trunkline serve`);
}

function settingsOf({ domain, tls, carrier, model }: Answers): Answered {
  const isLocal = domain === THIS_MACHINE;
  const scheme = tls === 'none' ? 'http' : 'https';
  const endpoint = ENDPOINT.exec(model)?.groups;
  const isExposed = tls === 'none' && !isLocal;
  return {
    ...(isLocal && tls === 'none' ? {} : { base_url: `${scheme}://${domain}${isExposed ? `:${PORT}` : ''}` }),
    // Only a proxy on this machine reaches the server.
    ...(isExposed ? { host: '0.0.0.0' } : {}),
    ...(tls === 'none' ? {} : { trusted_proxies: ['127.0.0.1'] }),
    ...(carrier === 'none' ? {} : { carrier }),
    ...(endpoint ? { brain_url: endpoint.url, brain_model: endpoint.name } : {}),
    ...(model.endsWith('.gguf') ? { brain_gguf: resolve(model) } : {}),
  };
}

function earlierSettings(file: string): ConfigurationFile {
  if (!existsSync(file)) return {};
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch {}
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    return settings as ConfigurationFile;
  throw new ConfigError([`${file} must contain a JSON object; mend it, or move it away and set up anew`]);
}

function mergedSettings(answers: Answers, earlier: ConfigurationFile): ConfigurationFile {
  const answered = settingsOf(answers);
  const retained = { ...earlier };
  for (const name of ANSWERED) delete retained[name];
  // The credentials of one model are not sent to the address of another.
  if (answered.brain_url !== undefined && answered.brain_url !== earlier.brain_url) {
    delete retained.brain_key;
    delete retained.brain_headers;
  }
  return { ...answered, ...retained };
}

/** Adds the secrets that neither the file nor the environment has. */
async function completed(
  settings: ConfigurationFile,
  file: string,
  context: CliContext,
): Promise<ConfigurationFile> {
  const config = configOf(settings, file, context);
  const random = () => randomBytes(24).toString('hex');
  const operator = config.operatorToken === null ? { operator_token: random() } : {};
  if (config.keySecret !== null) return { ...settings, ...operator };
  if (!(await hasServed(config))) return { ...settings, key_secret: random(), ...operator };
  context.out(
    'the database was there already: the file gets no "key_secret", because every API key that was made with another one would stop working; if TRUNKLINE_KEY_SECRET was set before, add it as it was',
  );
  return { ...settings, ...operator };
}

function configOf(settings: ConfigurationFile, file: string, context: CliContext): Config {
  const trial = `${file}.trial`;
  try {
    writeWhole(trial, JSON.stringify(settings), FOR_ITS_OWNER);
    return loadConfig({ ...context.environment, TRUNKLINE_CONFIG: trial });
  } finally {
    rmSync(trial, { force: true });
  }
}

function hasServed({ data, databaseUrl }: Config): Promise<boolean> {
  const place = databaseUrl === null ? 'TRUNKLINE_DATA' : 'TRUNKLINE_DATABASE_URL';
  return openOrFailStart('the database', place, () =>
    hasDatabase({ dataDir: data, databaseUrl: databaseUrl ?? undefined }),
  );
}

const caddyfileBy = (file: string): string => join(dirname(file), 'Caddyfile');

function replaceFile(file: string, text: string, mode: number, context: CliContext): void {
  if (existsSync(file)) {
    writeWhole(`${file}.before`, readFileSync(file, 'utf8'), mode);
    context.out(`${file}.before: the file as it was`);
  }
  writeWhole(file, text, mode);
}

function writeWhole(file: string, text: string, mode: number): void {
  const arriving = `${file}.arriving`;
  rmSync(arriving, { force: true });
  writeFileSync(arriving, text, { mode });
  renameSync(arriving, file);
}

const caddyfile = (domain: string): string => `${domain} {
	@inside path /metrics /readyz
	respond @inside 404
	reverse_proxy 127.0.0.1:${PORT}
}
`;

function missingOf({ carrier, model }: Answers, settings: ConfigurationFile): string[] {
  const lines: string[] = [];
  const isMissing = (...names: string[]) => names.some((name) => settings[name] === undefined);
  if (carrier === 'twilio' && isMissing('twilio_account_sid', 'twilio_auth_token'))
    lines.push('add to the file: "twilio_account_sid" and "twilio_auth_token"');
  if (carrier === 'sip' && isMissing('sip_listen', 'sip_trunks'))
    lines.push('add to the file: "sip_listen" and "sip_trunks" (docs/guides/sip.md)');
  if (ENDPOINT.test(model) && isMissing('brain_key'))
    lines.push('add to the file: "brain_key", if the model needs a key');
  if (model.endsWith('.gguf')) lines.push('install the runtime of the model: npx trunkline brain install');
  return lines;
}

/**
 * The account begins with a random password, which the owner replaces through a link, so that no password is typed
 * here.
 */
async function createFirstAccount(
  email: string,
  environment: NodeJS.ProcessEnv,
  context: CliContext,
): Promise<void> {
  try {
    // The account needs no carrier, whose settings may still be missing.
    const config = loadConfig({ ...environment, TRUNKLINE_CARRIER: 'loopback' });
    const services = await openCoreServices(config, context.log(config));
    try {
      const { access } = services;
      await access.accounts.signUp({ email, password: randomBytes(24).toString('base64') }, '127.0.0.1');
      const token = await access.passwords.issueFor(email, COMMAND_LINE_ACTOR);
      const url = `${config.baseUrl ?? `http://127.0.0.1:${config.port}`}${resetPage(token)}`;
      context.out(`${email} can set the password with this link, once and within 30 minutes: ${url}`);
    } finally {
      await services.close();
    }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConfigError)) throw error;
    context.error(`error: the account was not created: ${error.message}`);
    context.exit(1);
  }
}
