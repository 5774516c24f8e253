import type { SiteMapLimits } from './site-map.ts';

export type ParserRequest =
  | { readonly kind: 'pages' }
  | { readonly kind: 'picture'; readonly page: number }
  | { readonly kind: 'outline' }
  | { readonly kind: 'siteMap'; readonly limits: SiteMapLimits };

export interface PageOutline {
  readonly links: readonly string[];
  readonly canonical: string | null;
  readonly base: string | null;
  readonly unlisted: boolean;
  readonly text: string | null;
}
