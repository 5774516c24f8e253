/** Recognizes files by their bytes, because names are unreliable. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { AddedModelError } from './errors.ts';

export type FileKind =
  | 'onnx'
  | 'gguf'
  | 'ggml'
  | 'safetensors'
  | 'ctranslate2'
  | 'ort'
  | 'styles'
  | 'style-tensor'
  | 'npz'
  | 'json'
  | 'pickle'
  | 'archive'
  | 'lfs-pointer'
  | 'web-page'
  | 'text'
  | 'unknown';

const HEAD = 4096;
const LARGEST_HEADER = 100 * 1024 * 1024;
/** A style of Kokoro has 256 numbers for each of 510 lengths of text. */
const STYLE_BYTES = 510 * 256 * 4;
/** PyTorch's file of one style is hardly larger, even in double precision. */
const LARGEST_STYLE_TENSOR = 2 * STYLE_BYTES + 16 * 1024;

export function kindOfFile(path: string): FileKind {
  const head = headOf(path);
  const text = head.toString('latin1');
  if (text.startsWith('version https://git-lfs.github.com/')) return 'lfs-pointer';
  if (/^\s*(<!doctype html|<html)/i.test(text)) return 'web-page';
  if (text.startsWith('GGUF')) return 'gguf';
  if (text.startsWith('lmgg')) return 'ggml';
  if (text.startsWith('PK\u0003\u0004') && head.length >= 30) {
    const entry = text.slice(30, 30 + head.readUInt16LE(26));
    // NumPy's archive is a zip of arrays, and PyTorch's one around a pickle.
    if (entry.endsWith('.npy')) return 'npz';
    if (entry.endsWith('/data.pkl'))
      return statSync(path).size <= LARGEST_STYLE_TENSOR ? 'style-tensor' : 'pickle';
  }
  if (text.startsWith('PK\u0003\u0004') || text.startsWith('\u001f\u008b')) return 'archive';
  if (head[0] === 0x80 && (head[1] ?? 0) <= 5) return 'pickle';
  if (isSafetensors(head, path)) return 'safetensors';
  if (isCTranslate2(head)) return 'ctranslate2';
  if (isOnnx(head)) return 'onnx';
  if (text.slice(4, 8) === 'ORTM') return 'ort';
  if (head.includes(0) && statSync(path).size === STYLE_BYTES) return 'styles';
  if (/^(\u00ef\u00bb\u00bf)?\s*[[{]/.test(text)) return 'json';
  return head.length > 0 && !head.includes(0) ? 'text' : 'unknown';
}

export function whyUseless(path: string, kind: FileKind): string | null {
  if (statSync(path).size === 0) return 'it is empty';
  switch (kind) {
    case 'lfs-pointer':
      return 'it is a pointer of Git LFS and not the file: run "git lfs pull" where it came from';
    case 'web-page':
      return 'it is a web page and not a model: give the address of the file itself';
    case 'archive':
      return 'it is an archive: unpack it, and give the folder';
    case 'pickle':
      return "it is a pickle, which can run programs when it is opened: use the model's safetensors or ONNX form, or the .bin of a Kokoro voice";
    default:
      return null;
  }
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    return head.subarray(0, readSync(file, head, 0, HEAD, 0));
  } catch (error) {
    throw new AddedModelError(`${path} cannot be read: ${(error as Error).message}`);
  } finally {
    closeSync(file);
  }
}

function isSafetensors(head: Buffer, path: string): boolean {
  if (head.length < 9 || head[8] !== 0x7b) return false;
  const length = head.readBigUInt64LE(0);
  return length > 1n && length < BigInt(LARGEST_HEADER) && length + 8n <= BigInt(statSync(path).size);
}

function isCTranslate2(head: Buffer): boolean {
  if (head.length < 8) return false;
  const [version, length] = [head.readUInt32LE(0), head.readUInt16LE(4)];
  if (version < 1 || version > 16 || length < 5 || length > 64 || head.length < 6 + length) return false;
  return /^[A-Za-z0-9]+Spec\0$/.test(head.toString('latin1', 6, 6 + length));
}

/** An ONNX file is a protocol buffer that begins with the format version (field 1) and fields of a model. */
function isOnnx(head: Buffer): boolean {
  if (head.length < 8 || head[0] !== 0x08 || (head[1] ?? 0) < 3 || (head[1] ?? 0) > 20) return false;
  const field = (head[2] ?? 0) >> 3;
  const type = (head[2] ?? 0) & 7;
  return field >= 2 && field <= 25 && (type === 2 || type === 0);
}
