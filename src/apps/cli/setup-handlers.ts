import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { resetPage } from '../../foundation/access/index.ts';
import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import { ConfigError, loadConfig } from '../../foundation/platform/config/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { openCoreServices } from '../../main/main.ts';
import type { CliContext } from './command.ts';
import type { SetupOptions } from './setup.ts';

const THIS_MACHINE = 'localhost';
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const E_MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** A model's name may contain an @. */
const ENDPOINT = /^(?<name>\S+)@(?<url>https?:\/\/[^\s@]+)$/;
const FOR_ITS_OWNER = 0o600;
const PORT = 8080;

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
  if (existsSync(file) && !options.replace) {
    context.error(`error: ${file} already exists and was not changed; use --replace to overwrite it`);
    context.exit(1);
    return;
  }
  const isInteractive = !options.yes && process.stdin.isTTY === true;
  const terminal = isInteractive
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined;
  try {
    const answers = await answersOf(options, terminal && ((text) => terminal.question(text)), context);
    if (answers !== undefined) await carryOut(answers, file, context);
  } finally {
    terminal?.close();
  }
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
  writeConfiguration(file, { ...settingsOf(answers), ...secretsOf(file) });
  context.out(`${file}: the configuration, including its secrets; store it safely`);
  if (answers.tls === 'acme') {
    const caddy = join(dirname(file), 'Caddyfile');
    writeFileSync(caddy, caddyfile(answers.domain));
    context.out(
      `${caddy}: the configuration of Caddy, which obtains the certificate of ${answers.domain}; start it with: caddy run`,
    );
  }
  const environment = { ...context.environment, TRUNKLINE_CONFIG: file };
  for (const line of missingOf(answers)) context.out(line);
  if (answers.email !== 'none') await createFirstAccount(answers.email, environment, context);
  context.out(`start it with: TRUNKLINE_CONFIG=${file} npx trunkline serve`);
}

function settingsOf({ domain, tls, carrier, model }: Answers): Record<string, unknown> {
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

/** The secrets of an earlier file are kept, because keys and sealed rows of the database depend on them. */
function secretsOf(file: string): Record<string, unknown> {
  const earlier: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const random = () => randomBytes(24).toString('hex');
  return {
    key_secret: earlier.key_secret ?? random(),
    operator_token: earlier.operator_token ?? random(),
  };
}

function writeConfiguration(file: string, settings: Record<string, unknown>): void {
  const arriving = `${file}.arriving`;
  writeFileSync(arriving, `${JSON.stringify(settings, null, 2)}\n`, { mode: FOR_ITS_OWNER });
  renameSync(arriving, file);
}

const caddyfile = (domain: string): string => `${domain} {
	@inside path /metrics /readyz
	respond @inside 404
	reverse_proxy 127.0.0.1:${PORT}
}
`;

function missingOf({ carrier, model }: Answers): string[] {
  const lines: string[] = [];
  if (carrier === 'twilio') lines.push('add to the file: "twilio_account_sid" and "twilio_auth_token"');
  if (carrier === 'sip') lines.push('add to the file: "sip_listen" and "sip_trunks" (docs/guides/sip.md)');
  if (/^https?:/.test(model))
    lines.push('add to the file: "brain_model", and "brain_key" if the model needs a key');
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
