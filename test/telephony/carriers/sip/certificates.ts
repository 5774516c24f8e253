import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  readonly cert: string;
  readonly key: string;
  readonly both: string;
  readonly ca: string;
  remove(): void;
}

export function certificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=authority');
  openssl('req', ...curve, '-keyout', at('own.key'), '-out', at('own.csr'), '-subj', '/CN=127.0.0.1');
  const ca = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  openssl('x509', '-req', '-in', at('own.csr'), ...ca, '-days', '2', '-out', at('own.pem'));
  writeFileSync(at('both.pem'), readFileSync(at('own.key'), 'utf8') + readFileSync(at('own.pem'), 'utf8'));
  return {
    cert: at('own.pem'),
    key: at('own.key'),
    both: at('both.pem'),
    ca: at('ca.pem'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
