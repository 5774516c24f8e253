/**
 * The Autobahn test suite runs on Python 2.7 alone: this script unpacks the interpreter from Debian 11 by apt,
 * without installing it, and installs the suite with pinned packages from PyPI by the pip of that time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DEBS = [
  'python2.7-minimal',
  'libpython2.7-minimal',
  'libpython2.7-stdlib',
  'libpython2.7',
  'libpython2.7-dev',
  'python2.7-dev',
  'python-pip-whl',
  'libffi7',
  'libssl1.1',
];
const PACKAGES = [
  'wheel==0.37.1',
  'autobahntestsuite==0.8.2',
  'autobahn==0.10.9',
  'Twisted==19.10.0',
  'zope.interface==4.6.0',
  'cryptography==3.3.2',
  'pyOpenSSL==19.1.0',
  'Werkzeug==1.0.1',
  'jinja2==2.11.3',
  'markupsafe==1.1.1',
  'klein==17.10.0',
  'service_identity==18.1.0',
  'txaio==2.1.0',
  'six==1.16.0',
];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (done.status !== 0)
    throw new Error(`${command} ${args[0]} failed: ${done.stderr ?? done.error}`.slice(-2000));
  return done.stdout;
}

function mirror() {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...readdirSync(folder).map((name) => join(folder, name))];
  for (const file of files.filter(existsSync)) {
    const found = /^(?:URIs:|deb (?:\[.*?\] )?)\s*(\S+\/debian\/?)(?:\s|$)/m.exec(readFileSync(file, 'utf8'));
    if (found) return found[1];
  }
  throw new Error('this machine has no Debian among its package sources');
}

function bringPython(folder) {
  for (const name of ['lists/partial', 'cache/archives/partial', 'debs', 'root'])
    mkdirSync(join(folder, name), { recursive: true });
  const sources = join(folder, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${mirror()} bullseye main\n`);
  const own = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
  ];
  const apt = (...args) =>
    run('apt-get', [...own.flatMap((one) => ['-o', one]), '-qq', ...args], { cwd: join(folder, 'debs') });
  apt('update');
  apt('download', ...DEBS);
  for (const deb of readdirSync(join(folder, 'debs')))
    run('dpkg', ['-x', join(folder, 'debs', deb), join(folder, 'root')]);
}

function python(folder, path) {
  const root = join(folder, 'root');
  const include = `-I${root}/usr/include -I${root}/usr/include/python2.7`;
  return {
    program: join(root, 'usr/bin/python2.7'),
    env: {
      PATH: process.env.PATH,
      LD_LIBRARY_PATH: `${root}/usr/lib/x86_64-linux-gnu:${root}/lib/x86_64-linux-gnu`,
      PYTHONHOME: join(root, 'usr'),
      PYTHONPATH: path,
      CFLAGS: include,
    },
  };
}

function bringPackages(folder) {
  const wheels = join(folder, 'root/usr/share/python-wheels');
  const boot = join(folder, 'boot');
  for (const wheel of readdirSync(wheels)) run('python3', ['-m', 'zipfile', '-e', join(wheels, wheel), boot]);
  const { program, env } = python(folder, boot);
  const site = join(folder, 'site');
  const options = ['--no-cache-dir', '--disable-pip-version-check', '--quiet', '--target', site];
  run(program, ['-m', 'pip', 'install', ...options, ...PACKAGES], { env });
}

export function autobahn(folder) {
  const home = resolve(folder);
  if (!existsSync(home)) {
    const arriving = `${home}.arriving`;
    rmSync(arriving, { recursive: true, force: true });
    mkdirSync(arriving, { recursive: true });
    console.log('autobahn: bringing Python 2.7 and the suite');
    bringPython(arriving);
    bringPackages(arriving);
    renameSync(arriving, home);
  }
  const { program, env } = python(home, join(home, 'site'));
  // A site folder is necessary because some packages share the name `zope`, which only a site's .pth files make work.
  const site = `import site; site.addsitedir(${JSON.stringify(join(home, 'site'))})`;
  const start = `import sys; ${site}; from autobahntestsuite.wstest import run; sys.exit(run())`;
  return { program, args: ['-c', start], env };
}
