/** The wheel has generated REST code in trunkline_client/rest, and our helpers beside it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PIP, pythonTools } from './tools.mjs';

const run = promisify(execFile);

export async function pythonClient(root, description, work, out) {
  const python = join(await pythonTools(root), 'bin/python');
  rmSync(work, { recursive: true, force: true });
  cpSync(join(root, 'src/clients/python'), work, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(work, 'LICENSE'));
  const rest = join(work, 'src/trunkline_client/rest');
  await generate(python, description, work, rest);
  namesLate(join(rest, 'models/__init__.py'));
  mkdirSync(out, { recursive: true });
  await run(python, ['-m', 'pip', 'wheel', ...PIP, '--no-deps', '--no-build-isolation', '-w', out, work]);
  return join(
    out,
    readdirSync(out).find((name) => name.endsWith('.whl')),
  );
}

async function generate(python, description, work, rest) {
  const [input, config] = [join(work, 'openapi.json'), join(work, 'generator.json')];
  writeFileSync(input, JSON.stringify(description));
  const content_type_overrides = contentTypeOverrides(description);
  writeFileSync(config, JSON.stringify({ content_type_overrides, post_hooks: [], literal_enums: true }));
  const args = ['--path', input, '--config', config, '--output-path', rest, '--meta', 'none'];
  const { stdout, stderr } = await run(
    python,
    ['-m', 'openapi_python_client', 'generate', ...args, '--overwrite'],
    { maxBuffer: 1 << 26 },
  );
  const lost = /^(?:WARNING|ERROR|Error).*$/m.exec(stdout + stderr);
  if (lost) throw new Error(`${lost[0]}\n${(stdout + stderr).slice(lost.index, lost.index + 2000)}`);
}

/** The generator knows JSON, `text/*` and forms: any other type is bytes to it, or text where the description says so. */
export function contentTypeOverrides({ paths }) {
  const overrides = {};
  for (const operation of Object.values(paths).flatMap(Object.values))
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)])
      for (const [type, { schema }] of Object.entries(content)) {
        if (/json$|^text\/|form|octet-stream/.test(type) && !type.includes('ndjson')) continue;
        const isText = schema?.type === 'string' && schema.format !== 'binary';
        overrides[type] = isText ? 'text/plain' : 'application/octet-stream';
      }
  return overrides;
}

/** Imports each of more than a thousand modules on first use, not all at start. */
function namesLate(path) {
  const text = readFileSync(path, 'utf8');
  const names = [...text.matchAll(/^from \.(\w+) import (\w+)$/gm)].map(([, file, name]) => [name, file]);
  writeFileSync(
    path,
    `"""Contains all the data models used in inputs/outputs"""

from importlib import import_module
from typing import Any

_MODULES = ${JSON.stringify(Object.fromEntries(names), null, 4)}

__all__ = tuple(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
`,
  );
}
