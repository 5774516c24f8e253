/**
 * The mail server is real and runs in a process of its own: it prints its port, then each accepted mail as a line of
 * JSON. It refuses recipients called `unknown` permanently and those called `busy` temporarily. The argument `auth`
 * demands user and password.
 */
import { SMTPServer } from 'smtp-server';

const demandsAuth = process.argv.includes('auth');

const refusal = (code, message) => Object.assign(new Error(message), { responseCode: code });

const server = new SMTPServer({
  authOptional: !demandsAuth,
  allowInsecureAuth: true,
  disabledCommands: demandsAuth ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
  logger: false,
  onAuth({ username, password }, _session, done) {
    if (username === 'trunkline' && password === 'p@ss word') done(null, { user: username });
    else done(refusal(535, 'no such user'));
  },
  onRcptTo({ address }, _session, done) {
    if (address.startsWith('unknown')) return done(refusal(550, 'no such mailbox'));
    if (address.startsWith('busy')) return done(refusal(451, 'try again later'));
    done();
  },
  async onData(stream, session, done) {
    const text = Buffer.concat(await stream.toArray()).toString();
    const { mailFrom, rcptTo } = session.envelope;
    const to = rcptTo.map(({ address }) => address);
    process.stdout.write(`${JSON.stringify({ from: mailFrom.address, to, text })}\n`);
    done();
  },
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.server.address().port}\n`));
