import { vi } from 'vitest';
import { main } from '../../../src/apps/cli/index.ts';

export async function outputOf(args: readonly string[], environment: Record<string, string>) {
  const said = { out: '', error: '' };
  const gather = (name: keyof typeof said) => (text: string | Uint8Array) => {
    said[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(gather('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(gather('error')),
  ];
  const code = await main([...args], environment);
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}
