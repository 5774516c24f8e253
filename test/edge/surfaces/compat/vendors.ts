/** Installs the vendors' own clients into build-test/ for these tests alone, at the versions named here. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NPM = { '@deepgram/sdk': '5.13.0', '@elevenlabs/elevenlabs-js': '2.73.0' } as const;
const CONVERSATIONS = { '@elevenlabs/client': '1.25.0' } as const;
const VERCEL = {
  ai: '6.0.326',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/deepgram': '2.0.58',
  '@ai-sdk/elevenlabs': '2.0.58',
} as const;
const LINTERS = { '@stoplight/spectral-cli': '6.16.3', '@asyncapi/parser': '3.6.6' } as const;
const PYPI = ['deepgram-sdk==7.17.0', 'elevenlabs==2.78.0'];
const OPENAI = ['openai==3.54.0'];
const REALTIME = ['openai[realtime]==3.54.0', 'openai-agents[voice]==0.24.0'];

const PEERS = ['aiortc==1.16.0', 'openai==3.54.0'];
const AGENTS = { '@openai/agents-realtime': '0.20.0' } as const;

const PIPECAT = ['pipecat-ai[openai,deepgram,elevenlabs]==1.14.0', 'deepgram-sdk==7.17.0', 'openai==3.57.0'];
// The SDK imports plivo without requiring it.
const CARRIERS = ['plivo-stream-sdk==0.1.1', 'plivo==4.63.0'];
const RELAY = ['twilio-agent-connect==2.5.0', 'twilio==9.13.0'];
/** Other people's servers with OpenAI's speech routes, which run without a network. */
const SPEECH_SERVERS = ['faster-whisper-server==0.0.3', 'local-tts-studio==1.0.0', 'piper-tts==1.8.0'];
const LIVEKIT = [
  'livekit-agents==1.8.9',
  'livekit-plugins-openai==1.8.9',
  'livekit-plugins-deepgram==1.8.9',
  'livekit-plugins-elevenlabs==1.8.9',
  'livekit==1.1.21',
  'openai==3.57.0',
];

const folderOf = (kind: string, versions: readonly string[]): string =>
  join(process.cwd(), 'build-test', `${kind}-${versions.join('-').replace(/[^A-Za-z0-9.-]+/g, '_')}`);

function filled(folder: string, fill: (arriving: string) => void): string {
  if (existsSync(folder)) return '';
  const arriving = `${folder}.${process.pid}`;
  try {
    mkdirSync(arriving, { recursive: true });
    fill(arriving);
    renameSync(arriving, folder);
    return '';
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (existsSync(folder)) return '';
    if (process.env.CI === 'true') throw error;
    return 'the clients could not be installed';
  }
}

export const npmFolder = folderOf('npm-vendors', Object.values(NPM));
const conversationsFolder = folderOf('npm-conversations', Object.values(CONVERSATIONS));
const vercelFolder = folderOf('npm-vercel', Object.values(VERCEL));
export const lintersFolder = folderOf('npm-linters', Object.values(LINTERS));
export const pythonFolder = folderOf('pypi-vendors', PYPI);
export const openaiFolder = folderOf('pypi', OPENAI);
export const realtimeFolder = folderOf('pypi', REALTIME);

const npmInstalled = (folder: string, dependencies: Readonly<Record<string, string>>): string =>
  filled(folder, (arriving) => {
    writeFileSync(join(arriving, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...options], { cwd: arriving, stdio: 'pipe' });
  });

export const pipecatFolder = folderOf('pypi', PIPECAT.slice(0, 1));
export const carriersFolder = folderOf('pypi', CARRIERS);
export const relayFolder = folderOf('pypi', RELAY);
export const livekitFolder = folderOf('pypi', LIVEKIT.slice(0, 1));

const agentsFolder = folderOf('npm-agents', Object.values(AGENTS));
export const agentsBundle = join(
  agentsFolder,
  'node_modules/@openai/agents-realtime/dist/bundle/openai-realtime-agents.umd.js',
);
export const peersFolder = folderOf('pypi', PEERS);

export const npmMissing = (): string => npmInstalled(npmFolder, NPM);
export const conversationsMissing = (): string => npmInstalled(conversationsFolder, CONVERSATIONS);
export const lintersMissing = (): string => npmInstalled(lintersFolder, LINTERS);
export const vercelMissing = (): string => npmInstalled(vercelFolder, VERCEL);

export const agentsMissing = (): string => npmInstalled(agentsFolder, AGENTS);

const pipMissing = (folder: string, versions: readonly string[]): string =>
  filled(folder, (arriving) => {
    const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--target', arriving];
    execFileSync('python3', ['-m', 'pip', 'install', ...options, ...versions], { stdio: 'pipe' });
  });

export const pythonMissing = (): string => pipMissing(pythonFolder, PYPI);
export const openaiMissing = (): string => pipMissing(openaiFolder, OPENAI);
export const pipecatMissing = (): string => pipMissing(pipecatFolder, PIPECAT);
export const carriersMissing = (): string => pipMissing(carriersFolder, CARRIERS);
export const relayMissing = (): string => pipMissing(relayFolder, RELAY);
export const livekitMissing = (): string => pipMissing(livekitFolder, LIVEKIT);
export const peersMissing = (): string => pipMissing(peersFolder, PEERS);
export const speechServersFolder = folderOf('pypi', SPEECH_SERVERS);
export const speechServersMissing = (): string => pipMissing(speechServersFolder, SPEECH_SERVERS);
export const realtimeMissing = (): string => pipMissing(realtimeFolder, REALTIME);

export const importedConversations = (): Promise<unknown> =>
  import(
    pathToFileURL(join(conversationsFolder, 'node_modules', '@elevenlabs', 'client', 'dist', 'index.js')).href
  );

export const requiredOfVercel = (name: keyof typeof VERCEL): unknown =>
  createRequire(join(vercelFolder, 'package.json'))(name);

export const required = (name: keyof typeof NPM): unknown =>
  createRequire(join(npmFolder, 'package.json'))(name);
