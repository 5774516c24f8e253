import { render } from 'preact';
import { App } from './app.tsx';

/** The document shows a name until this replaces it, so that a slow line shows no empty page. */
export function begin(element: HTMLElement): void {
  element.replaceChildren();
  render(<App />, element);
}
