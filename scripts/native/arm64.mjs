/**
 * Builds the engine for Linux on arm64 on a Debian machine of another processor: Debian's cross compiler compiles, its
 * arm64 packages of the libraries are unpacked into a folder of the checkout, and qemu runs what was built. The system's
 * own packages stay as they are.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { requireTools } from '../setup/tools.mjs';

export const ARM64_FOLDER = 'build-native-arm64';
export const TOOLS = ['cmake', 'make', 'an arm64 compiler', 'qemu for arm64'];
const ROOT = 'build-arm64-root';
const LIBRARIES = ['libopus-dev', 'libsrtp2-dev', 'libsofia-sip-ua-dev', 'libstdc++6'];

/** Processors that qemu stands for; newer ones than these are not, because its SME gives other products of 8 bits. */
const PROCESSORS = {
  'neoverse-n1': { part: '0xd0c', variant: '0x3', more: 'atomics fphp asimdhp asimdrdm asimddp' },
  'cortex-a72': { part: '0xd08', variant: '0x0', more: '' },
};
const [USUAL] = Object.keys(PROCESSORS);

/** A program of arm64 is started by these words, because the kernel starts those of its own processor alone. */
export const emulator = (root, processor = USUAL) => [
  'qemu-aarch64',
  '-cpu',
  processor,
  '-L',
  join(root, ROOT, processor),
];

// The first bytes of a program of arm64, and which bits of them count.
const MAGIC = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`;
const MASK = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`;
const REGISTER = `mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
printf '%s' "$1" >/proc/sys/fs/binfmt_misc/register && shift && exec "$@"`;

/**
 * The words before a command under which programs of arm64 start others of arm64: a user namespace has its own table of
 * interpreters since Linux 6.7, so that nothing changes for the rest of the machine.
 */
export function emulating(root, processor) {
  const words = emulator(root, processor);
  const files = words.at(-1);
  mkdirSync(files, { recursive: true });
  const script = join(files, 'emulator');
  const text = `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`;
  if (!existsSync(script) || readFileSync(script, 'utf8') !== text)
    writeFileSync(script, text, { mode: 0o755 });
  return ['unshare', '-Urm', 'sh', '-c', REGISTER, 'sh', `:trunkline-arm64:M::${MAGIC}:${MASK}:${script}:`];
}

/** Returns what this machine lacks to run programs of arm64, with the command that brings it; empty where nothing is. */
export async function lackingForArm64(root) {
  try {
    await requireTools(TOOLS);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${error.message} (${error.mend})`;
  }
  const [command, ...args] = emulating(root);
  const { code } = await run(command, [...args, 'true']);
  return code === 0 ? '' : 'user namespaces with a table of interpreters (Linux 6.7)';
}

export async function configureArm64(root, log, { tests = false } = {}) {
  await requireTools(TOOLS);
  const packages = await arm64Root(root, log);
  const ninja = (await run('ninja', ['--version'])).code === 0;
  const settings = {
    CMAKE_TOOLCHAIN_FILE: join(root, 'native/arm64.cmake'),
    CMAKE_LIBRARY_OUTPUT_DIRECTORY: join(root, ARM64_FOLDER, 'Release'),
    TRUNKLINE_ARM64_ROOT: packages.folder,
    ...(tests ? { TRUNKLINE_TESTS: 'ON' } : {}),
  };
  const args = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  return await run(
    'cmake',
    ['-S', 'native', '-B', ARM64_FOLDER, '-G', ninja ? 'Ninja' : 'Unix Makefiles', ...args],
    { cwd: root },
  );
}

/** The folder with the unpacked packages, and of each package its name, version, source and files. */
export async function arm64Root(root, log) {
  const folder = join(root, ROOT);
  const list = join(folder, 'packages.json');
  if (!existsSync(list)) {
    log(`native: fetching Debian's arm64 packages of ${LIBRARIES.join(', ')}`);
    const arriving = `${folder}.arriving`;
    rmSync(arriving, { recursive: true, force: true });
    const packages = [];
    for (const archive of await fetchPackages(join(arriving, 'apt')))
      packages.push(await unpack(archive, arriving));
    rmSync(join(arriving, 'apt'), { recursive: true });
    layOutProcessors(arriving);
    writeFileSync(join(arriving, 'packages.json'), JSON.stringify(packages));
    rmSync(folder, { recursive: true, force: true });
    renameSync(arriving, folder);
  }
  return { folder, packages: JSON.parse(readFileSync(list, 'utf8')) };
}

function layOutProcessors(folder) {
  for (const [name, processor] of Object.entries(PROCESSORS)) {
    mkdirSync(join(folder, name));
    for (const shared of ['lib', 'usr']) symlinkSync(`../${shared}`, join(folder, name, shared));
    describeProcessors(join(folder, name), processor);
  }
}

/**
 * qemu shows a program the files of this machine that its root lacks. ONNX Runtime crashes where the list of processors
 * is that of another kind, and uses the instructions that the list names.
 */
function describeProcessors(root, { part, variant, more }) {
  const fields = {
    Features: `fp asimd aes pmull sha1 sha2 crc32 ${more}`.trim(),
    'CPU implementer': '0x41',
    'CPU architecture': '8',
    'CPU variant': variant,
    'CPU part': part,
    'CPU revision': '1',
  };
  const lines = Object.entries(fields).map(([field, value]) => `${field}\t: ${value}\n`);
  const list = cpus().map((_, at) => `processor\t: ${at}\n${lines.join('')}\n`);
  mkdirSync(join(root, 'proc'), { recursive: true });
  writeFileSync(join(root, 'proc/cpuinfo'), list.join(''));
}

/** apt also fetches what the packages depend on, because its list of installed packages is empty. */
async function fetchPackages(folder) {
  const options = await aptOptions(folder);
  const only = ['--yes', '--download-only', '--no-install-recommends'];
  await apt([...options, 'install', '--quiet', ...only, ...LIBRARIES]);
  const archives = readdirSync(join(folder, 'archives')).filter((name) => name.endsWith('.deb'));
  return archives.map((name) => join(folder, 'archives', name));
}

/** The options under which apt knows the packages for arm64, in a folder of its own. */
async function aptOptions(folder) {
  for (const part of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const settings = {
    'APT::Architecture': 'arm64',
    'APT::Architectures': 'arm64',
    'APT::Sandbox::User': '',
    'Dir::State': folder,
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': folder,
    'Debug::NoLocking': '1',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await apt([...options, 'update', '--quiet']);
  return options;
}

async function apt(args) {
  const { code, missing, stdout, stderr } = await run('apt-get', args);
  if (missing) throw new Failure('the engine for arm64 is built on Debian: there is no apt-get here');
  if (code !== 0)
    throw new Failure(`Debian's packages for arm64 cannot be fetched:\n${tail(stderr || stdout)}`);
}

async function unpack(archive, folder) {
  const listed = await run('dpkg-deb', ['--vextract', archive, folder]);
  const format = `--showformat=\${Package}\n\${Version}\n\${source:Package}`;
  const fields = await run('dpkg-deb', ['--show', format, archive]);
  if (listed.code !== 0 || fields.code !== 0)
    throw new Failure(`${archive} cannot be unpacked:\n${tail(listed.stderr)}`);
  const [name, version, source] = fields.stdout.split('\n');
  const files = [...listed.stdout.matchAll(/\.(\/\S+[^/\n])(?: -> .*)?$/gm)].map(([, path]) => path);
  return { name, version, source, files };
}
