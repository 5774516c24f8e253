/** vitest runs this before each test file, in a shared process too. */
import { afterAll, vi } from 'vitest';
import { runHelperHooks } from './helper-hooks.ts';

runHelperHooks();
afterAll(() => void vi.restoreAllMocks());
