/** vitest runs this before each test file, in a shared process too. */
import { runHelperHooks } from './helper-hooks.ts';

runHelperHooks();
