/**
 * Copies the shared libraries that a program file is linked with, and their licences, beside it: a machine that
 * installs an npm package lacks the distribution's packages for them. It runs on Debian and Ubuntu, which record the
 * package of each file; the libraries for another processor come from Debian's packages for that one.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { arm64Root, emulator } from '../native/arm64.mjs';
import { demanded, isNewer } from '../setup/elf-versions.mjs';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

/** Every machine with glibc has these; the newest symbols that the engine uses of libstdc++ are those of g++ 12. */
export const OF_EVERY_MACHINE = /^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|gcc_s|stdc\+\+))\.so/;
/** NSS loads these at run time, from its own folder. */
const OPENED_LATER = { 'libnss3.so': ['libsoftokn3.so', 'libfreebl3.so', 'libfreeblpriv3.so'] };

export async function tool(program, args, options) {
  const packages = {
    patchelf: 'patchelf',
    ldd: 'libc-bin',
    dpkg: 'dpkg',
    'dpkg-query': 'dpkg',
    strip: 'binutils',
    'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
    'qemu-aarch64': 'qemu-user',
  };
  const { code, missing, stdout, stderr } = await run(program, args, options);
  if (missing) {
    const mend = `apt-get install -y ${packages[program] ?? program}`;
    throw new Failure(
      `${program} is missing`,
      program === 'helm' ? 'bash scripts/release/chart-tools.sh' : mend,
    );
  }
  if (code !== 0) throw new Failure(`${program} ${args.join(' ')} failed:\n${tail(stderr || stdout)}`);
  return stdout;
}

/** Libraries are found on this machine, by its loader and its list of packages. */
const OWN = {
  strip: (path) => tool('strip', ['--strip-unneeded', path]),
  linked: async (file) => parseLinked(await tool('ldd', [file])),
  copyright: (owner) => `/usr/share/doc/${owner}/copyright`,
  async packageOf(path) {
    const name = (await tool('dpkg-query', ['--search', usr(path)])).split(':')[0];
    const [version, source] = (
      await tool('dpkg-query', ['--show', `--showformat=\${Version}\n\${source:Package}`, name])
    ).split('\n');
    return { name, version, source };
  },
};

export async function librariesFor(arch, { root, log }) {
  return arch === process.arch ? OWN : await librariesForArm64(root, log);
}

/** Libraries are found in the folder of Debian's arm64 packages, by their loader, which qemu runs. */
async function librariesForArm64(root, log) {
  const { folder, packages } = await arm64Root(root, log);
  const [qemu, ...words] = emulator(root);
  // The loader names a library below the root that qemu shows it, or below the folder that the program names.
  const inFolder = (path) => (path.startsWith(`${folder}/`) ? path : join(folder, path));
  return {
    strip: (path) => tool('aarch64-linux-gnu-strip', ['--strip-unneeded', path]),
    async linked(file) {
      const listed = await tool(qemu, [...words, join(folder, 'lib/ld-linux-aarch64.so.1'), '--list', file]);
      return parseLinked(listed).map(([name, path]) => [name, path && inFolder(path)]);
    },
    copyright: (owner) => join(folder, `usr/share/doc/${owner}/copyright`),
    packageOf(path) {
      const inside = path.slice(realpathSync(folder).length);
      const owner = packages.find(({ files }) => files.includes(inside));
      if (!owner) throw new Failure(`no arm64 package has ${inside}`);
      return owner;
    },
  };
}

export async function bundleLibraries(folder, files, machine = OWN) {
  const found = new Map();
  for (const file of files) await collect(join(folder, file), found, machine);
  for (const [name, path] of found) {
    copyFileSync(path, join(folder, name));
    await machine.strip(join(folder, name));
  }
  // The loader applies DT_RPATH, unlike DT_RUNPATH, to the libraries of libraries and to those loaded later.
  for (const name of [...files, ...found.keys()])
    await tool('patchelf', ['--force-rpath', '--set-rpath', '$ORIGIN', join(folder, name)]);
  return await copyLicences(folder, found, machine);
}

async function collect(file, found, machine) {
  for (const [name, path] of await machine.linked(file)) {
    if (OF_EVERY_MACHINE.test(name) || found.has(name)) continue;
    if (path === undefined) throw new Failure(`${file} is linked with ${name}, which is not on this machine`);
    found.set(name, realpathSync(path));
    for (const later of OPENED_LATER[name] ?? []) {
      const library = join(dirname(path), later);
      if (!existsSync(library)) throw new Failure(`${later} is not beside ${path}`);
      found.set(later, realpathSync(library));
      await collect(library, found, machine);
    }
  }
}

export const parseLinked = (text) =>
  [...text.matchAll(/^\s*([^\s/]+) => (?:(\/\S+) \(0x|not found)/gm)].map(([, name, path]) => [name, path]);

async function copyLicences(folder, found, machine) {
  const bundled = [];
  for (const [name, path] of found) {
    const { name: owner, version, source } = await machine.packageOf(path);
    const licence = `licences/${owner}.txt`;
    mkdirSync(join(folder, 'licences'), { recursive: true });
    copyFileSync(machine.copyright(owner), join(folder, licence));
    bundled.push({ file: basename(name), package: owner, source, version, licence });
  }
  return bundled;
}

/** dpkg records a file below /lib or below /usr/lib, which are the same folder. */
const usr = (path) => `*${path.replace(/^\/usr/, '')}`;

export function glibcOf(folder, files) {
  return files
    .map((file) => ({ file, glibc: demanded(readFileSync(join(folder, file))) }))
    .reduce((most, one) => (isNewer(one.glibc, most.glibc) ? one : most));
}
