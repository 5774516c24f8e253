import { asked, patternsOfTraits } from './design-words.ts';

export interface Understanding {
  readonly understood: string[];
  readonly ignored: string[];
}

const JOINING = new Set(
  (
    'a an the and or but with of in on for to from at by as is be that which who it its this my our your very really quite rather more ' +
    'most slightly somewhat bit little touch tad fairly mildly less not no never without too also please like sounds sounding sound speaks ' +
    'speaking spoken voice voices speaker tone person someone accent accented years year old age aged early mid late their his her he she'
  ).split(' '),
);

export function understandingOf(description: string): Understanding {
  const text = asked(description);
  const understood = new Set<string>();
  for (const pattern of patternsOfTraits()) {
    for (const [said] of text.matchAll(new RegExp(pattern.source, 'g'))) understood.add(said.trim());
  }
  const heard = new Set([...understood].flatMap(wordsOf));
  const ignored = wordsOf(description.toLowerCase()).filter((one) => !heard.has(one) && !JOINING.has(one));
  return { understood: [...understood], ignored: [...new Set(ignored)] };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
