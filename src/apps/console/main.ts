import { chooseLanguage } from './i18n/index.ts';
import { applyTheme } from './shell/theme.ts';

// The language loads first, because modules read their texts when they load.
applyTheme();
await chooseLanguage();
const { begin } = await import('./shell/begin.tsx');
begin(document.getElementById('app') as HTMLElement);
