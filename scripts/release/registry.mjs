/**
 * Serves a registry on loopback for trials of a release: the packages of a folder, and every package of
 * package-lock.json from npm's own cache. It publishes nothing and contacts no other address.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { integrityOf } from './tarball.mjs';

const MANIFEST = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'engines',
  'os',
  'cpu',
  'libc',
  'bin',
  'hasInstallScript',
];

export async function startRegistry({ root, packages, cutAfter }) {
  const cache = (await run('npm', ['config', 'get', 'cache'], { cwd: root })).stdout.trim();
  const known = new Map();
  for (const entry of locked(root, join(cache, '_cacache'))) add(known, entry);
  for (const name of readdirSync(packages).filter((file) => file.endsWith('.tgz')))
    add(known, await packedEntry(join(packages, name)));
  const cuts = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://registry').pathname).slice(1);
    const [name, file] = path.split('/-/');
    const versions = known.get(name);
    if (!versions) return answer(response, 404, { error: 'not found' });
    if (!file) return answer(response, 200, await packument(name, versions, address(server)));
    const entry = versions.find(({ version }) => file === fileOf(name, version));
    if (!entry?.path || !existsSync(entry.path)) return answer(response, 404, { error: 'not found' });
    send(request, response, entry.path, cutAfter?.(name, cuts.get(file) ?? 0));
    cuts.set(file, (cuts.get(file) ?? 0) + 1);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: address(server),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

const address = (server) => `http://127.0.0.1:${server.address().port}/`;
const fileOf = (name, version) => `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;

function add(known, entry) {
  const versions = known.get(entry.name) ?? [];
  if (!versions.some(({ version }) => version === entry.version)) known.set(entry.name, [...versions, entry]);
}

function* locked(root, cache) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || !entry.integrity) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const [algorithm, digest] = entry.integrity.split('-');
    const hex = Buffer.from(digest, 'base64').toString('hex');
    const file = join(cache, 'content-v2', algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
    yield { name, version: entry.version, integrity: entry.integrity, manifest: entry, path: file };
  }
}

async function packedEntry(path) {
  const { stdout } = await run('tar', ['--occurrence=1', '-xzOf', path, 'package/package.json']);
  const manifest = JSON.parse(stdout);
  const { name, version } = manifest;
  return { name, version, manifest, path, hasShrinkwrap: name === 'trunkline' };
}

async function packument(name, versions, url) {
  for (const entry of versions) entry.integrity ??= await integrityOf(entry.path);
  const manifests = versions.map(({ version, manifest, integrity, hasShrinkwrap }) => ({
    name,
    version,
    ...Object.fromEntries(MANIFEST.filter((key) => manifest[key]).map((key) => [key, manifest[key]])),
    ...(hasShrinkwrap ? { _hasShrinkwrap: true } : {}),
    dist: { integrity, tarball: `${url}${name}/-/${fileOf(name, version)}` },
  }));
  return {
    name,
    'dist-tags': { latest: manifests.at(-1).version },
    versions: Object.fromEntries(manifests.map((manifest) => [manifest.version, manifest])),
  };
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function send(request, response, path, cut) {
  const { size } = statSync(path);
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const headers = { 'content-type': 'application/octet-stream', 'content-length': size - start };
  if (start > 0) headers['content-range'] = `bytes ${start}-${size - 1}/${size}`;
  response.writeHead(start > 0 ? 206 : 200, headers);
  if (cut === undefined) return createReadStream(path, { start }).pipe(response);
  createReadStream(path, { start, end: Math.min(size - 1, start + cut - 1) })
    .on('end', () => setImmediate(() => response.destroy()))
    .pipe(response, { end: false });
}
