import { render } from 'preact';
import { App } from './app.tsx';

export const begin = (element: HTMLElement): void => render(<App />, element);
