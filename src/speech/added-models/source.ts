import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { AddedModelError } from './errors.ts';

export type ModelSource =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'hub';
      readonly owner: string;
      readonly name: string;
      readonly revision: string;
      readonly path: string;
    };

const HUB =
  /^hf:([A-Za-z0-9][\w.-]{0,95})\/([A-Za-z0-9][\w.-]{0,95})(?:@([\w./-]{1,120}?))?(?::([^\s\\]{1,300}))?$/;

export function parseSource(text: string, from: string | null = null): ModelSource {
  if (text.startsWith('hf:')) {
    const found = HUB.exec(text);
    if (!found)
      throw new AddedModelError(`${text} is not hf:OWNER/NAME, with an optional @REVISION and :FOLDER`);
    const [, owner = '', name = '', revision = 'main', path = ''] = found;
    if (path !== '' && path.split('/').some((part) => part === '..' || part === ''))
      throw new AddedModelError(
        `${text}: the folder is a path inside the repository, such as ru/ru_RU/irina/medium`,
      );
    if (from === null) return { kind: 'hub', owner, name, revision, path };
    return localSource(join(from, owner, name, path), `${text} in TRUNKLINE_MODELS_FROM`);
  }
  if (/^https?:\/\//i.test(text)) {
    if (from === null) return { kind: 'url', url: text };
    return localSource(join(from, fileNameOf(text)), `${text} in TRUNKLINE_MODELS_FROM`);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new AddedModelError(
      `${text}: a source is a folder, a file, an https:// URL or hf:OWNER/NAME@REVISION`,
    );
  return localSource(resolve(text), text);
}

export function fileNameOf(url: string): string {
  let name: string;
  try {
    name = decodeURIComponent(basename(new URL(url).pathname));
  } catch {
    throw new AddedModelError(`${url} is not a valid URL`);
  }
  if (!/^[\w][\w.+ -]{0,200}$/.test(name))
    throw new AddedModelError(`${url} does not end with the name of a file`);
  return name;
}

function localSource(path: string, said: string): ModelSource {
  if (!existsSync(path)) throw new AddedModelError(`there is no file or folder ${said} (looked at ${path})`);
  const stat = statSync(path);
  if (stat.isDirectory()) return { kind: 'folder', path };
  if (stat.isFile()) return { kind: 'file', path };
  throw new AddedModelError(`${said} is neither a file nor a folder`);
}
