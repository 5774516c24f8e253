const KEPT = 'trunkline.theme';
export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = (): Theme => {
  const kept = localStorage.getItem(KEPT);
  if (kept === 'light' || kept === 'dark') return kept;
  return system.matches ? 'dark' : 'light';
};

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
  document.documentElement.style.colorScheme = theme();
}

export function keepTheme(wanted: Theme): void {
  localStorage.setItem(KEPT, wanted);
  applyTheme();
}

system.addEventListener('change', applyTheme);
