// @requirement Guides: The Debian package installs, starts, confines, removes and purges.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { buildModels, buildProgram } from '../../scripts/debian/build.mjs';
// @ts-expect-error scripts are plain JavaScript
import { defaultRoot, readManifest, selectModels } from '../../scripts/models/layout.mjs';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { until } from '../poll.ts';
import { compileProgram, root } from '../running-server.ts';
import { Machine, noBuild, noMachine } from './machine.ts';

const VERSION = '0.9.0~test';
const SMALL = ['espeak-ng', 'silero-vad'];

const said = (command: string, ...args: string[]): string => {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

describe.skipIf(noBuild !== '')('a package for Debian', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'debian-'));
    await compileProgram();
    file = await buildProgram(root, folder, VERSION);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says what it needs: this Node and no other, and the libraries that its programs are linked with', () => {
    const field = (name: string) => said('dpkg-deb', '--field', file, name).trim();
    const major = Number(process.versions.node.split('.')[0]);
    expect(field('Package')).toBe('trunkline');
    expect(field('Version')).toBe(VERSION);
    expect(field('Architecture')).toBe(said('dpkg', '--print-architecture').trim());
    const depends = field('Depends').split(', ');
    expect(depends).toContainEqual(expect.stringMatching(new RegExp(`^nodejs \\(>= ${major}\\.`)));
    expect(depends).toContain(`nodejs (<< ${major + 1})`);
    expect(depends).toContainEqual(expect.stringMatching(/^libc6 \(>= 2\.\d+\)$/));
    expect(depends).toContainEqual(expect.stringMatching(/^libsofia-sip-ua0/));
    expect(said('dpkg-deb', '--info', file, 'conffiles').trim()).toBe('/etc/trunkline/trunkline.env');
  });

  it('holds what runs, for everybody to read but the settings, and nothing that only builds or tests', () => {
    const lines = said('dpkg-deb', '--contents', file).trim().split('\n');
    const entries = lines.map((line) => line.split(/\s+/));
    const files = entries.map((parts) => parts[5] as string).filter((path) => !path.endsWith('/'));
    for (const path of [
      'dist/apps/cli/index.js',
      'dist-console/index.html',
      'lib/binding/trunkline.node',
      'models/manifest.json',
    ])
      expect(files).toContain(`./usr/lib/trunkline/${path}`);
    expect(new Set(entries.map((parts) => parts[1]))).toEqual(new Set(['root/root']));
    const settings = entries.find((parts) => parts[5] === './etc/trunkline/trunkline.env');
    expect(settings?.[0]).toBe('-rw-r-----');
    const modules = files.filter((path) => path.includes('/node_modules/'));
    const names = /\/node_modules\/(typescript|vitest|vite|playwright-core|cmake-js|@biomejs\/biome)\//;
    expect(modules.filter((path) => names.test(path))).toEqual([]);
    const builds = modules.filter((path) => /\.(node|so(\.\d+)*|dll|dylib)$/.test(path));
    expect(builds.filter((path) => /win32|darwin|musl/.test(path))).toEqual([]);
    expect(builds.filter((path) => path.includes('/uWebSockets.js/'))).toHaveLength(1);
    expect(files.filter((path) => /\.(d\.ts|map)$/.test(path))).toEqual([]);
  });

  it('takes a version that Debian can compare alone', async () => {
    for (const version of ['v1', '', '1_0', '1 0'])
      await expect(buildProgram(root, folder, version)).rejects.toThrow('no version of a Debian package');
  });

  it('has models that are whole where they are unpacked', async () => {
    const models = selectModels(readManifest(), { only: SMALL });
    const packed = await buildModels(root, folder, VERSION, { models, cache: defaultRoot() });
    const there = join(folder, 'there');
    said('dpkg-deb', '--extract', packed, there);
    const unpacked = new Models({ root: join(there, 'usr/lib/trunkline-models') });
    for (const name of SMALL) expect(unpacked.status(name)).toMatchObject({ ready: true });
    expect(unpacked.status('kokoro').ready).toBe(false);
  });

  describe.skipIf(noMachine !== '')('on a machine', () => {
    let machine: Machine;
    beforeAll(async () => {
      machine = await Machine.boot();
      copyFileSync(file, join(machine.given, basename(file)));
      machine.run(`dpkg --install /mnt/${basename(file)}`);
    }, 120_000);
    afterAll(() => machine?.stop());
    const property = (name: string) => machine.run(`systemctl show --property ${name} --value trunkline`);

    it('is a service that runs as its own user, confined, and is begun with the machine', async () => {
      await until(() => machine.try('curl --fail http://127.0.0.1:8080/healthz').code === 0);
      expect(machine.run('systemctl is-enabled trunkline')).toBe('enabled');
      expect(machine.run('systemd-analyze verify trunkline.service')).toBe('');
      const status = machine.run(`cat /proc/${property('MainPID')}/status`);
      const uid = machine.run('id --user trunkline');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s`, 'm'));
      expect(status).toMatch(/^CapBnd:\s+0000000000000000$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      expect(machine.run('stat --format "%A %U" /var/lib/trunkline /var/backups/trunkline')).toBe(
        'drwx------ trunkline\ndrwx------ trunkline',
      );
      expect(machine.run('journalctl --unit trunkline')).not.toMatch(/EPERM|EACCES|Operation not permitted/);
    });

    it('has a command that root calls for the service’s user, with the service’s settings', () => {
      expect(machine.run('trunkline --version')).toBe(VERSION);
      expect(machine.run('trunkline keys create --sandbox')).toMatch(/^svc_test_\w+$/m);
      expect(machine.run('find /var/lib/trunkline -not -user trunkline')).toBe('');
      const nobody = machine.try('setpriv --reuid 65534 --clear-groups trunkline keys create --sandbox');
      expect(nobody.code).toBe(1);
      expect(nobody.said).toContain('/var/lib/trunkline/data');
      machine.run('echo TRUNKLINE_PORT=many >>/etc/trunkline/trunkline.env');
      expect(machine.try('trunkline keys list --org org_none').said).toContain('TRUNKLINE_PORT');
    });

    it('does not begin again and again with settings that are wrong', async () => {
      machine.try('systemctl restart trunkline');
      await until(() => property('ActiveState') === 'failed');
      expect(property('ExecMainStatus')).toBe('2');
      expect(property('NRestarts')).toBe('0');
      expect(machine.run('journalctl --unit trunkline --lines 5')).toContain('TRUNKLINE_PORT');
    });

    it('keeps data when it is removed, and takes it along when it is purged, but no backup', () => {
      machine.run('sed --in-place /many/d /etc/trunkline/trunkline.env && systemctl start trunkline');
      machine.run('trunkline backup /var/backups/trunkline/one');
      machine.run('dpkg --remove trunkline');
      expect(machine.run('ls /var/lib/trunkline/data')).toContain('trunkline.db');
      machine.run('dpkg --purge trunkline');
      expect(machine.try('ls /var/lib/trunkline /etc/trunkline').code).not.toBe(0);
      expect(machine.run('ls /var/backups/trunkline')).toBe('one');
      expect(machine.try('systemctl is-enabled trunkline').code).not.toBe(0);
    });
  });
});
