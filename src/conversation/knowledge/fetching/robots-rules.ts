import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import { collapsed, PathPattern, type WorkBudget } from '../paths/path-pattern.ts';

/** The rules of a site's robots.txt. */
export interface SiteRules {
  /** `work`: what matching may cost; an address that costs more is not allowed. */
  allows(url: string, work?: WorkBudget): boolean;
  readonly pauseSeconds: number;
  readonly sitemaps: readonly string[];
}

const LONGEST_LINE = 4_096;
/**
 * Each pattern with an inner `*` costs a walk along the path. Patterns beyond this many count as matching where
 * they disallow.
 */
const MOST_WILDCARDS = 1_000;
/** Where a file has more rules for one program, whatever its rules do not allow is disallowed. */
const MOST_RULES = 20_000;
const MOST_SITE_MAPS = 100;
/** The budget for one address: a thousand patterns along the longest path. */
const WORK = 2_500_000;

interface Rule {
  readonly pattern: PathPattern;
  readonly length: number;
  readonly isAllowed: boolean;
}

interface Group {
  readonly rules: Rule[];
  delay: number | null;
  wildcards: number;
}

/** The rules of a `robots.txt` for one program (RFC 9309): the longest pattern that matches decides, and of two that are as long the one that allows. */
export function readRobots(text: string, agent: string): SiteRules {
  const groups = new Map<string, Group>();
  const sitemaps: string[] = [];
  /** A set: lines that name the same program again add no group. */
  const current = new Set<Group>();
  let isNaming = false;
  for (const [name, value] of lines(text.replaceAll('\r', '\n'))) {
    if (name === 'user-agent') {
      if (!isNaming) current.clear();
      const named = value.toLowerCase().split('/', 1)[0]?.trim() ?? '';
      if (named === '*' || named === agent.toLowerCase()) current.add(groupOf(groups, named));
    }
    isNaming = name === 'user-agent';
    if (name === 'sitemap' && sitemaps.length < MOST_SITE_MAPS) sitemaps.push(value);
    if (name === 'crawl-delay') for (const group of current) group.delay = Number(value);
    if (name === 'allow' || name === 'disallow')
      for (const group of current) addRule(group, value, name === 'allow');
  }
  const { rules, delay } = groups.get(agent.toLowerCase()) ?? groups.get('*') ?? newGroup();
  rules.sort((one, other) => other.length - one.length || Number(other.isAllowed) - Number(one.isAllowed));
  return {
    allows: (url, work = { left: WORK }) => isAllowed(rules, url, work),
    pauseSeconds: delay !== null && delay > 0 ? delay : 0,
    sitemaps,
  };
}

function isAllowed(rules: readonly Rule[], url: string, work: WorkBudget): boolean {
  if (url.length > MAX_URL_CHARACTERS) return false;
  const { pathname, search } = new URL(url);
  const path = encoded(pathname + search);
  const decides = rules.find(({ pattern }) => pattern.matches(path, work));
  return work.left > 0 && decides?.isAllowed !== false;
}

function addRule(group: Group, value: string, isAllowed: boolean): void {
  let text = collapsed(encoded(value));
  if (text === '') return;
  const isWhole = text.endsWith('$');
  const { length } = text;
  if (isWhole) text = text.slice(0, -1);
  // Patterns match prefixes, so a `*` at the end adds nothing.
  else if (text.endsWith('*')) text = text.slice(0, -1);
  if (group.rules.length === MOST_RULES) group.rules.push(ruleOf('', false, 0, false));
  if (group.rules.length > MOST_RULES) return;
  if (!text.includes('*')) return void group.rules.push(ruleOf(text, isWhole, length, isAllowed));
  group.wildcards += 1;
  if (group.wildcards <= MOST_WILDCARDS) group.rules.push(ruleOf(text, isWhole, length, isAllowed));
  else if (!isAllowed) group.rules.push(ruleOf(text.split('*', 1)[0] as string, false, length, false));
}

const ruleOf = (text: string, isWhole: boolean, length: number, isAllowed: boolean): Rule => ({
  pattern: new PathPattern(text, { isWhole }),
  length,
  isAllowed,
});

const newGroup = (): Group => ({ rules: [], delay: null, wildcards: 0 });

function groupOf(groups: Map<string, Group>, name: string): Group {
  const group = groups.get(name) ?? newGroup();
  groups.set(name, group);
  return group;
}

/** The fields of a file in small letters, with their values, without comments. A line that no address could match is left out. */
function* lines(text: string): Generator<readonly [string, string]> {
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    // Stars in a row would make a line long that says little.
    const line = end - start > LONGEST_LINE ? collapsed(text.slice(start, end)) : text.slice(start, end);
    if (line.length > LONGEST_LINE) continue;
    const [, name, value] = /^\uFEFF?\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    if (name !== undefined && value !== undefined) yield [name.toLowerCase(), value.trim()];
  }
}

/** Addresses and patterns write the same character in one way. */
function encoded(path: string): string {
  try {
    return encodeURI(path)
      .replaceAll('%25', '%')
      .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  } catch {
    return path;
  }
}
