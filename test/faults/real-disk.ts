import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOUNT = 'mount -o loop,errors=remount-ro "$1" "$2" && shift 2 && exec "$@"';
const failed = (command: string, ...args: string[]): boolean => spawnSync(command, args).status !== 0;

/**
 * A file system in a file is mounted for the server alone, and the kernel makes it read-only under open files, as it
 * does with a dying disk. It needs root and a loop device.
 */
export class RealDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trunkline-disk-'));
  readonly #image = join(this.#folder, 'image');
  readonly #mountedAt: string;

  constructor(mountedAt: string, megabytes: number) {
    this.#mountedAt = mountedAt;
    writeFileSync(this.#image, '');
    truncateSync(this.#image, megabytes << 20);
    if (failed('mkfs.ext4', '-q', '-F', this.#image)) throw new Error('mkfs.ext4 failed');
  }

  static absent(): string | null {
    if (process.getuid?.() !== 0) return 'that takes root';
    if (failed('mkfs.ext4', '-V') || failed('e2fsck', '-V')) return 'mkfs.ext4 or e2fsck is missing';
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-disk-'));
    try {
      const disk = new RealDisk(folder, 16);
      const [command, ...args] = disk.through;
      const looked = spawnSync(command, [...args, 'sh', '-c', 'ls /sys/fs/ext4/*/trigger_fs_error']);
      disk.remove();
      return looked.status === 0 ? null : 'this system mounts no file';
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  get through(): [string, ...string[]] {
    return ['unshare', '-m', 'sh', '-c', MOUNT, 'sh', this.#image, this.#mountedAt];
  }

  turnReadOnly(pid: number): void {
    const mounts = readFileSync(`/proc/${pid}/mounts`, 'utf8').split('\n');
    const mount = mounts.map((line) => line.split(' ')).find(([, at]) => at === this.#mountedAt);
    const device = mount?.[0]?.split('/').at(-1);
    if (!device?.startsWith('loop') || !readdirSync('/sys/fs/ext4').includes(device))
      throw new Error(`no disk of the test's own is mounted: ${mount}`);
    writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1');
  }

  mend(): void {
    // The exit code 1 means that errors were corrected.
    const { status, stdout } = spawnSync('e2fsck', ['-fy', this.#image], { encoding: 'utf8' });
    if (status !== 0 && status !== 1) throw new Error(`e2fsck: ${stdout}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
