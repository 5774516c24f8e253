import first from './es-a-to-l.ts';
import second from './es-m-to-z.ts';

/** Complete: a test holds it against every text of the pages. */
export default { ...first, ...second };
