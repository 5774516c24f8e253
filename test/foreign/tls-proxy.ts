import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';

export interface TlsProxy {
  readonly host: string;
  readonly ca: string;
  close(): void;
}

export async function tlsProxy(url: string): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-proxy-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  const port = Number(new URL(url).port);
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (client) => {
    const served = connect(port, '127.0.0.1');
    client.pipe(served).pipe(client);
    client.on('error', () => served.destroy());
    served.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: cert,
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
