import type { SiteMapLimits } from './site-map.ts';

export type ParserRequest =
  /** The words of a PDF in their places. */
  | { readonly kind: 'pages' }
  | { readonly kind: 'picture'; readonly page: number }
  | { readonly kind: 'outline' }
  | { readonly kind: 'siteMap'; readonly limits: SiteMapLimits };

export interface PageOutline {
  readonly links: readonly string[];
  readonly canonical: string | null;
  readonly base: string | null;
  readonly unlisted: boolean;
  /** It is a hash of the text; null where the page has none. */
  readonly text: string | null;
}
