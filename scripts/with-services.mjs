#!/usr/bin/env node
// Usage: with-services CMD ARGS…. Starts a throw-away PostgreSQL, Redis and S3-compatible server on free loopback ports, runs
// the command with TRUNKLINE_TEST_DATABASE_URL, TRUNKLINE_TEST_REDIS_URL and TRUNKLINE_TEST_S3_URL set, and removes
// every trace. It does not change a variable that is already set, and reports a service that it cannot start; with CI=true
// that is an error.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const POSTGRES_HOMES = ['/usr/lib/postgresql', '/opt/homebrew/opt/postgresql', '/usr/pgsql'];
const root = fileURLToPath(new URL('..', import.meta.url));
const undo = [];

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function postgresBinaries() {
  const found = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.trim();
  if (found) return found.replace(/initdb$/, '');
  for (const home of POSTGRES_HOMES.filter(existsSync)) {
    const versions = readdirSync(home).filter((name) => existsSync(join(home, name, 'bin', 'initdb')));
    versions.sort((a, b) => Number(b) - Number(a));
    if (versions[0]) return `${join(home, versions[0], 'bin')}/`;
    if (existsSync(join(home, 'bin', 'initdb'))) return `${join(home, 'bin')}/`;
  }
  return null;
}

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root; its package creates this user. */
function asPostgresUser(command, args) {
  return isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];
}

function runOrThrow(command, args) {
  const [program, list] = asPostgresUser(command, args);
  const done = spawnSync(program, list, { encoding: 'utf8', cwd: tmpdir() });
  if (done.status !== 0) throw new Error(`${command} failed: ${done.stderr || done.stdout || done.error}`);
}

async function startPostgres() {
  const bin = postgresBinaries();
  if (!bin) throw new Error('no initdb found; on Debian: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-postgres-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  if (isRoot) {
    const id = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
    chownSync(folder, id('-u'), id('-g'));
  }
  const data = join(folder, 'data');
  const port = await freePort();
  runOrThrow(`${bin}initdb`, [
    '-D',
    data,
    '-U',
    'trunkline',
    '--auth=trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  // The data is discarded after the run, so writes need not wait for the disk.
  const hasty = '-c fsync=off -c synchronous_commit=off -c full_page_writes=off';
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -k ${folder} -c max_connections=200 ${hasty}`;
  runOrThrow(`${bin}pg_ctl`, ['-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start']);
  undo.push(() => runOrThrow(`${bin}pg_ctl`, ['-D', data, '-m', 'immediate', 'stop']));
  return `postgres://trunkline@127.0.0.1:${port}/postgres`;
}

/** Resolves when the server's output says that it listens; rejects if the server ends first. */
function startServer(command, args, listening, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const read = (chunk) => {
      output += chunk;
      if (listening.test(output)) resolve(child);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${output.slice(-400)}`)));
    undo.push(() => child.kill('SIGKILL'));
  });
}

async function startRedis() {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  await startServer('redis-server', args, /Ready to accept connections/).catch((error) => {
    throw error.code === 'ENOENT'
      ? new Error('no redis-server; on Debian: apt-get install redis-server')
      : error;
  });
  return `redis://127.0.0.1:${port}`;
}

async function startS3() {
  const program = join(root, 'node_modules', 's3rver', 'bin', 's3rver.js');
  if (!existsSync(program)) throw new Error('s3rver is not installed; run npm ci');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-s3-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const args = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', 'trunkline-test'];
  await startServer(process.execPath, [program, ...args], /listening/i);
  return `http://S3RVER:S3RVER@127.0.0.1:${port}/trunkline-test`;
}

const SERVICES = [
  ['TRUNKLINE_TEST_DATABASE_URL', 'PostgreSQL', startPostgres],
  ['TRUNKLINE_TEST_REDIS_URL', 'Redis', startRedis],
  ['TRUNKLINE_TEST_S3_URL', 'an S3-compatible server', startS3],
];

function cleanUp() {
  for (const step of undo.splice(0).reverse()) {
    try {
      step();
    } catch (error) {
      console.error(`with-services: clean-up: ${error.message}`);
    }
  }
}

async function startAll() {
  for (const [variable, name, start] of SERVICES) {
    if (process.env[variable]) continue;
    try {
      process.env[variable] = await start();
    } catch (error) {
      console.error(`with-services: ${name} is absent: ${error.message}`);
      if (process.env.CI === 'true') return false;
    }
  }
  return true;
}

function runCommand(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => {
      console.error(`with-services: ${command}: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => resolve(signal ? 1 : code));
  });
}

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: with-services COMMAND [ARGUMENTS…]');
  process.exit(2);
}
process.on('exit', cleanUp);
const ready = await startAll();
process.exit(ready ? await runCommand(command, args) : 1);
