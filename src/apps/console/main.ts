import { chooseLanguage } from './i18n/index.ts';
import { applyTheme } from './shell/theme.ts';

// The words come first: every module takes its own while it is read.
applyTheme();
await chooseLanguage();
const { begin } = await import('./shell/begin.tsx');
begin(document.getElementById('app') as HTMLElement);
