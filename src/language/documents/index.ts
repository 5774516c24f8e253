/** Documents that strangers give: what they are by their bytes, and what stands in them, read in a process of its own. */

export type { Outline } from './asked.ts';
export { type Block, type Format, type Parsed, tidy, Unreadable } from './blocks.ts';
export {
  askApart,
  outlineApart,
  pagesApart,
  pictureApart,
  siteMapApart,
} from './parser-process.ts';
export {
  ACTIVE,
  type Picture,
  type Place,
  type PlacedPage,
  type PlacedWord,
  TOO_MANY_PAGES,
} from './placed.ts';
export { formatNamed, MEDIA_TYPES, type Sniffed, sniffed } from './sniff.ts';
