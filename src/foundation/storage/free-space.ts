import { statfs } from 'node:fs/promises';

export async function lowSpace(folder: string, leastBytes: number): Promise<string | null> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  if (files > 0 && ffree === 0) return `The disk of ${folder} has no room for more files. Remove some`;
  const free = bavail * bsize;
  if (free >= leastBytes) return null;
  if (free < bsize) return `The disk of ${folder} is full: free some space`;
  return `The disk of ${folder} has ${Math.floor(free / 1024 / 1024)} MB left: free some space`;
}
