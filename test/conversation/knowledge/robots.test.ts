import { describe, expect, it } from 'vitest';
import { readRobots } from '../../../src/conversation/knowledge/fetching/robots-rules.ts';
import { PathPattern } from '../../../src/conversation/knowledge/paths/path-pattern.ts';
import { watchTurns } from '../../event-loop-blocking.ts';

const SITE = 'https://harbour.example';
const allows = (text: string, path: string) => readRobots(text, 'TrunklineBot').allows(`${SITE}${path}`);

describe('robots.txt', () => {
  it.each([
    // The longest pattern decides; of two with the same length, the one that allows.
    ['Disallow: /docs\nAllow: /docs/open', '/docs/open/a', true],
    ['Disallow: /docs\nAllow: /docs/open', '/docs/shut', false],
    ['Disallow: /page\nAllow: /page', '/page', true],
    ['Allow: /p\nDisallow: /', '/q', false],
    ['Disallow:', '/any', true],
    ['Disallow: /*.pdf$', '/a/b.pdf', false],
    ['Disallow: /*.pdf$', '/a/b.pdf?x=1', true],
    ['Disallow: /a*b*c', '/a-b-d', true],
    ['Disallow: /a*b*c', '/axxbxxcxx', false],
    ['Disallow: /*aab', '/aaaaab', false],
    ['Disallow: /fish*', '/fish.html', false],
    ['Disallow: /exact$', '/exact', false],
    ['Disallow: /exact$', '/exactly', true],
    ['Disallow: /*?sort=', '/list?sort=up', false],
    ['Disallow: /caf\u00e9', '/caf%C3%A9', false],
    ['Disallow: /a%3cd', '/a%3Cd', false],
    ['disallow : /x # a remark', '/x', false],
    ['# Disallow: /x', '/x', true],
  ])('has %s say of %s: %s', (rules, path, expected) => {
    expect(allows(`User-agent: *\n${rules}`, path)).toBe(expected);
  });

  it('follows the group that names this program, over the one for all', () => {
    const text =
      'User-agent: Other\nUser-agent: trunklinebot/1.0\r\nDisallow: /a\n\nUser-agent: *\rDisallow: /\nCrawl-delay: 9\nSitemap: https://x.example/m.xml';
    expect([allows(text, '/a'), allows(text, '/b')]).toEqual([false, true]);
    expect(readRobots(text, 'TrunklineBot')).toMatchObject({
      pauseSeconds: 0,
      sitemaps: ['https://x.example/m.xml'],
    });
    expect(readRobots(text, 'Another').pauseSeconds).toBe(9);
  });

  it('adds each rule once to a group, however often its program is named', () => {
    const text = `${'User-agent: *\n'.repeat(3)}User-agent: TrunklineBot\nAllow: /a\nDisallow: /`;
    const work = { left: 100 };
    expect(readRobots(text, 'TrunklineBot').allows(`${SITE}/b`, work)).toBe(false);
    const repeated = { left: 100 };
    const again = `${'User-agent: TrunklineBot\n'.repeat(50)}Allow: /a\nDisallow: /`;
    expect(readRobots(again, 'TrunklineBot').allows(`${SITE}/b`, repeated)).toBe(false);
    expect(repeated).toEqual(work);
  });

  it('disallows what no rule allows where a file has too many rules', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `Disallow: /z${at}`).join('\n');
    expect(allows(`User-agent: *\n${many}`, '/about')).toBe(true);
    const text = `User-agent: *\nAllow: /open\n${many}`;
    expect([allows(text, '/open'), allows(text, '/about')]).toEqual([true, false]);
  });

  it('takes an address that is too long to be read for one that it may not', () => {
    expect(allows('', `/${'a'.repeat(8_200)}`)).toBe(false);
  });

  it('holds patterns over the limit to the safe side', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `Disallow: /z*${at}`).join('\n');
    const text = `User-agent: *\n${many}\nDisallow: /shop/*/basket\nAllow: /*basket`;
    expect([allows(text, '/shop/list'), allows(text, '/about')]).toEqual([false, true]);
  });

  it.each([
    ['stars in a row', `Disallow: /${'*'.repeat(480_000)}b`],
    ['stars apart', `Disallow: /${'*a'.repeat(2_000)}*b\n`.repeat(120)],
    ['letters that nearly match', `Disallow: /*${'a'.repeat(470)}b\n`.repeat(1_000)],
    ['plain beginnings', `Disallow: /${'a'.repeat(1_890)}b\n`.repeat(260)],
    ['short rules', 'Disallow: /b\n'.repeat(38_000)],
    [
      'one program named again and again',
      `${'User-agent:*\n'.repeat(2_000)}${'Disallow:/a\n'.repeat(2_000)}`,
    ],
    [
      'two programs named again and again',
      `${'User-agent:*\nUser-agent:TrunklineBot\n'.repeat(6_000)}${'Disallow:/a\n'.repeat(20_000)}`,
    ],
    [
      'programs named between rules',
      `${'User-agent:*\n'.repeat(20)}${'Disallow:/*aaab\n'.repeat(20)}`.repeat(800),
    ],
  ])('spends no more than its budget on %s', (_name, rules) => {
    const turns = watchTurns();
    const site = readRobots(`User-agent: *\n${rules}`, 'TrunklineBot');
    for (let at = 0; at < 5; at += 1) site.allows(`${SITE}/${'a'.repeat(1_900)}${at}`);
    expect(turns.longestMs()).toBeLessThan(1_000);
  });

  it('allows nothing more once the budget of a crawl is spent', () => {
    const site = readRobots('User-agent: *\nDisallow: /*x', 'TrunklineBot');
    const work = { left: 100 };
    expect(site.allows(`${SITE}/${'a'.repeat(50)}`, work)).toBe(true);
    expect(site.allows(`${SITE}/${'a'.repeat(50)}`, work)).toBe(false);
  });
});

describe('a pattern of whole paths', () => {
  it.each([
    ['/docs/*', '/docs/a/b', true],
    ['/docs/*', '/blog', false],
    ['*/a/*', '/x/a/y', true],
    ['/a', '/a', true],
    ['/a', '/ab', false],
    ['/a*a', '/a', false],
    ['/a**c', '/abc', true],
    ['*', '/any', true],
    ['/a$*', '/a$b', true],
  ])('matches %s with %s: %s', (pattern, path, expected) => {
    expect(new PathPattern(pattern, { isWhole: true }).matches(path, { left: 1_000 })).toBe(expected);
  });
});
