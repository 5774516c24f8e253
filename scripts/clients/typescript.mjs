import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { npmTools } from './tools.mjs';

const run = promisify(execFile);

export async function typescriptClient(root, description, work, out) {
  const tools = await npmTools(root);
  rmSync(work, { recursive: true, force: true });
  cpSync(join(root, 'src/clients/typescript'), work, { recursive: true });
  symlinkSync(join(tools, 'node_modules'), join(work, 'node_modules'));
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(description));
  await generate(tools, work);
  await said(run(process.execPath, [join(tools, 'node_modules/typescript/bin/tsc'), '-p', work]));
  await bundle(root, work);
  mkdirSync(out, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: work });
  return join(out, JSON.parse(stdout)[0].filename);
}

async function generate(tools, work) {
  const generator = pathToFileURL(join(tools, 'node_modules/@hey-api/openapi-ts/dist/index.mjs')).href;
  const { createClient } = await import(generator);
  await createClient({
    input: join(work, 'openapi.json'),
    logs: { level: 'silent' },
    output: { path: join(work, 'src/rest'), module: { extension: '.js' } },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/client-fetch', throwOnError: true },
      {
        name: '@hey-api/sdk',
        auth: false,
        responseStyle: 'data',
        operations: { strategy: 'single', containerName: 'Rest' },
      },
    ],
  });
}

async function bundle(root, work) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: join(work, 'src/index.ts'), external: ['ws'], tsconfig: false });
  await build.write({ file: join(work, 'dist/esm/index.js'), format: 'esm' });
  await build.write({ file: join(work, 'dist/cjs/index.cjs'), format: 'cjs' });
  await build.close();
  cpSync(join(work, 'dist/esm'), join(work, 'dist/cjs'), {
    recursive: true,
    filter: (path) => !path.endsWith('.js'),
  });
  writeFileSync(join(work, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
  cpSync(join(root, 'LICENSE'), join(work, 'LICENSE'));
}

const said = (running) =>
  running.catch((error) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`);
  });

export const versionOf = (root) =>
  JSON.parse(readFileSync(join(root, 'src/clients/typescript/package.json'), 'utf8')).version;
