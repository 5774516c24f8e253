const STORAGE_KEY = 'trunkline.theme';
export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = (): Theme => {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'light' || stored === 'dark') return stored;
  return system.matches ? 'dark' : 'light';
};

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
  document.documentElement.style.colorScheme = theme();
}

export function keepTheme(wanted: Theme): void {
  localStorage.setItem(STORAGE_KEY, wanted);
  applyTheme();
}

system.addEventListener('change', applyTheme);
