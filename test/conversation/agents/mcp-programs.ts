import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';

const modules = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');

export const SERVERS = {
  everything: { program: 'server-everything/dist/index.js', args: ['streamableHttp'], port: 'PORT' },
  example: { program: 'sdk/dist/esm/examples/server/simpleStreamableHttp.js', args: [], port: 'MCP_PORT' },
} as const;

export async function startMcp(name: keyof typeof SERVERS): Promise<{ url: string; child: ChildProcess }> {
  const { program, args, port } = SERVERS[name];
  const number = await freePort();
  const env = { ...process.env, [port]: String(number) };
  const child = spawn(process.execPath, [join(modules, program), ...args], { env, stdio: 'pipe' });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (/listening on port/i.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => reject(new Error(`${name} ended: ${said}`)));
  });
  return { url: `http://127.0.0.1:${number}/mcp`, child };
}
