/**
 * <trunkline-call>: a page's call to an agent, in one file without a dependency. By WebRTC, or by WebSocket where UDP does
 * not get through. The same file is the worklet that moves sound for the WebSocket.
 */
const AUDIO = 1;
const TRANSCRIPT = 2;
const CONTROL = 3;
const CONNECT_WITHIN_MS = 8_000;
/** A call whose way is lost is led another way: the server waits as long. */
const ANOTHER_WAY_WITHIN_MS = 20_000;
const ASK_AGAIN_MS = 1_000;
/** How many frames of 20 ms wait before the agent is heard: more after frames that came late, fewer after ten calm seconds. */
const LEAD = { first: 3, fewest: 2, most: 15, after: 500 };
/** Frames that come so soon after the line ran dry were late; later ones begin another sentence. */
const LATE_SECONDS = 0.3;
const FRAME_SECONDS = 0.02;
const CALL_AGAIN_MS = 1_000;
/** The server keeps a call that broke off for as long. */
const RESUME_WITHIN_MS = 30_000;
const RESUME_AGAIN_MS = 500;
const ANSWER_WITHIN_MS = 4_000;
const PINGS_BEFORE_SILENCE = 4;

if (typeof registerProcessor === 'function') {
  /** The microphone out as PCM16 of the session's rate; the agent in, and nothing of it after a flush. */
  class Line extends AudioWorkletProcessor {
    constructor({ processorOptions: { rate } }) {
      super();
      this.step = sampleRate / rate;
      this.at = 0;
      this.frame = [];
      this.size = rate / 50;
      this.queue = [];
      this.since = 0;
      this.lead = LEAD.first;
      this.calm = 0;
      this.dry = null;
      this.playing = null;
      this.port.onmessage = ({ data }) => (data === 'flush' ? this.flush() : this.add(data));
    }

    flush() {
      this.queue = [];
      this.playing = null;
      this.dry = null;
    }

    add(data) {
      if (this.dry !== null && currentTime - this.dry < LATE_SECONDS) {
        this.lead = Math.min(LEAD.most, this.lead + 2);
        this.calm = 0;
      }
      this.dry = null;
      if (this.queue.length === 0) this.since = currentTime;
      this.queue.push(new Int16Array(data));
    }

    /** As many frames wait as should, or the first has waited for as long: a short word has no more. */
    enough() {
      if (this.queue.length === 0) return false;
      return this.queue.length >= this.lead || currentTime - this.since >= this.lead * FRAME_SECONDS;
    }

    /** The next frame, or null where the line has run dry. */
    next() {
      const pcm = this.queue.shift();
      if (!pcm) {
        this.dry = currentTime;
        return null;
      }
      if (++this.calm === LEAD.after) {
        this.lead = Math.max(LEAD.fewest, this.lead - 1);
        this.calm = 0;
      }
      return { pcm, at: 0 };
    }

    process([[heard]], [[out]]) {
      if (heard) this.take(heard);
      this.play(out);
      return true;
    }

    take(heard) {
      for (; this.at < heard.length; this.at += this.step) {
        this.frame.push(Math.max(-1, Math.min(1, heard[Math.floor(this.at)])) * 32_767);
        if (this.frame.length === this.size) {
          const pcm = Int16Array.from(this.frame.splice(0));
          this.port.postMessage(pcm.buffer, [pcm.buffer]);
        }
      }
      this.at -= heard.length;
    }

    play(out) {
      for (let i = 0; i < out.length; i++) {
        if (this.playing === null && this.enough()) this.playing = this.next();
        if (this.playing === null) continue;
        out[i] = this.playing.pcm[Math.floor(this.playing.at)] / 32_768;
        this.playing.at += 1 / this.step;
        if (this.playing.at < this.playing.pcm.length) continue;
        this.playing = this.next();
      }
    }
  }
  registerProcessor('trunkline-line', Line);
} else {
  const SELF = document.currentScript.src;

  const TEXTS = {
    en: {
      call: 'Call',
      end: 'Hang up',
      mute: 'Mute',
      idle: 'Ready',
      calling: 'Connecting…',
      live: 'Connected',
      over: 'Call ended',
      lost: 'Connection lost',
      level: 'Microphone level',
      microphone: 'The microphone is not allowed',
      failed: 'The call failed',
      keypad: 'Keypad',
      captions: 'Conversation',
      you: 'You',
      agent: 'Agent',
      agree: 'Agree and call',
      decline: 'Not now',
    },
    es: {
      call: 'Llamar',
      end: 'Colgar',
      mute: 'Silenciar',
      idle: 'Listo',
      calling: 'Conectando…',
      live: 'Conectado',
      over: 'Llamada terminada',
      lost: 'Conexión perdida',
      level: 'Nivel del micrófono',
      microphone: 'El micrófono no está permitido',
      failed: 'La llamada falló',
      keypad: 'Teclado',
      captions: 'Conversación',
      you: 'Usted',
      agent: 'Agente',
      agree: 'Aceptar y llamar',
      decline: 'Ahora no',
    },
    fr: {
      call: 'Appeler',
      end: 'Raccrocher',
      mute: 'Couper le micro',
      idle: 'Prêt',
      calling: 'Connexion…',
      live: 'Connecté',
      over: 'Appel terminé',
      lost: 'Connexion perdue',
      level: 'Niveau du micro',
      microphone: 'Le microphone n’est pas autorisé',
      failed: 'L’appel a échoué',
      keypad: 'Clavier',
      captions: 'Conversation',
      you: 'Vous',
      agent: 'Agent',
      agree: 'Accepter et appeler',
      decline: 'Pas maintenant',
    },
    de: {
      call: 'Anrufen',
      end: 'Auflegen',
      mute: 'Stumm',
      idle: 'Bereit',
      calling: 'Verbinde…',
      live: 'Verbunden',
      over: 'Anruf beendet',
      lost: 'Verbindung verloren',
      level: 'Pegel des Mikrofons',
      microphone: 'Das Mikrofon ist nicht erlaubt',
      failed: 'Der Anruf ist gescheitert',
      keypad: 'Tasten',
      captions: 'Gespräch',
      you: 'Sie',
      agent: 'Agent',
      agree: 'Zustimmen und anrufen',
      decline: 'Nicht jetzt',
    },
    it: {
      call: 'Chiama',
      end: 'Riaggancia',
      mute: 'Disattiva microfono',
      idle: 'Pronto',
      calling: 'Connessione…',
      live: 'Connesso',
      over: 'Chiamata terminata',
      lost: 'Connessione persa',
      level: 'Livello del microfono',
      microphone: 'Il microfono non è consentito',
      failed: 'La chiamata non è riuscita',
      keypad: 'Tastiera',
      captions: 'Conversazione',
      you: 'Lei',
      agent: 'Agente',
      agree: 'Accetta e chiama',
      decline: 'Non ora',
    },
    pt: {
      call: 'Ligar',
      end: 'Desligar',
      mute: 'Silenciar',
      idle: 'Pronto',
      calling: 'A ligar…',
      live: 'Ligado',
      over: 'Chamada terminada',
      lost: 'Ligação perdida',
      level: 'Nível do microfone',
      microphone: 'O microfone não é permitido',
      failed: 'A chamada falhou',
      keypad: 'Teclado',
      captions: 'Conversa',
      you: 'Você',
      agent: 'Agente',
      agree: 'Aceitar e ligar',
      decline: 'Agora não',
    },
    nl: {
      call: 'Bellen',
      end: 'Ophangen',
      mute: 'Dempen',
      idle: 'Klaar',
      calling: 'Verbinden…',
      live: 'Verbonden',
      over: 'Gesprek beëindigd',
      lost: 'Verbinding verbroken',
      level: 'Niveau van de microfoon',
      microphone: 'De microfoon is niet toegestaan',
      failed: 'Het gesprek is mislukt',
      keypad: 'Toetsen',
      captions: 'Gesprek',
      you: 'U',
      agent: 'Agent',
      agree: 'Akkoord en bellen',
      decline: 'Niet nu',
    },
    hi: {
      call: 'कॉल करें',
      end: 'कॉल काटें',
      mute: 'आवाज़ बंद करें',
      idle: 'तैयार',
      calling: 'जोड़ा जा रहा है…',
      live: 'जुड़ गया',
      over: 'कॉल समाप्त',
      lost: 'कनेक्शन टूट गया',
      level: 'माइक्रोफ़ोन का स्तर',
      microphone: 'माइक्रोफ़ोन की अनुमति नहीं है',
      failed: 'कॉल नहीं हो सकी',
      keypad: 'कीपैड',
      captions: 'बातचीत',
      you: 'आप',
      agent: 'एजेंट',
      agree: 'सहमति दें और कॉल करें',
      decline: 'अभी नहीं',
    },
  };

  const STYLE = `:host([position]){position:fixed;z-index:2147483000;bottom:16px;box-shadow:0 4px 16px #0004}:host([position=bottom-right]){right:16px}:host([position=bottom-left]){left:16px}:host{display:inline-block;font:inherit;color:var(--trunkline-text,#111);background:var(--trunkline-background,#fff);border:1px solid var(--trunkline-border,#ccc);border-radius:8px;padding:12px;max-width:24em}
button{font:inherit;padding:.5em 1em;border-radius:6px;border:1px solid var(--trunkline-border,#ccc);background:none;color:inherit;cursor:pointer}
button.main{background:var(--trunkline-accent,#1d4ed8);color:var(--trunkline-on-accent,#fff)}button:focus-visible{outline:3px solid var(--trunkline-focus,#f59e0b);outline-offset:2px}
button[aria-pressed=true]{background:#ddd;color:#111}[role=log]{max-height:12em;overflow:auto;margin-top:8px}[role=log] p{margin:.25em 0}.keys{display:grid;grid-template-columns:repeat(3,1fr);gap:4px;margin-top:8px}[hidden]{display:none!important}`;

  /** A server that goes, and a way that breaks: the call may be begun again. Every other code says why not. */
  const LOST = new Set([1001, 1006, 1012]);

  const frame = (tag, message) => {
    const json = new TextEncoder().encode(JSON.stringify(message));
    const bytes = new Uint8Array(json.length + 1);
    bytes[0] = tag;
    bytes.set(json, 1);
    return bytes;
  };

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /** Both ways say the same things: `open()`, `send(bytes)`, `mute(on)`, `close()`; they tell `frame`, `live`, `over`, and
   * `through` where a way breaks off and is found again. */
  class ByWebRtc {
    constructor({ session, microphone, told }) {
      Object.assign(this, { session, microphone, told });
    }

    async open() {
      const connection = new RTCPeerConnection();
      this.connection = connection;
      for (const track of this.microphone.getTracks()) connection.addTrack(track, this.microphone);
      connection.ontrack = ({ streams, track }) => {
        this.sound = new Audio();
        this.sound.srcObject = streams[0] ?? new MediaStream([track]);
        this.sound.play().catch(() => this.told.over('failed'));
      };
      this.channel = connection.createDataChannel('omni');
      this.channel.binaryType = 'arraybuffer';
      this.channel.onmessage = ({ data }) => this.told.frame(new Uint8Array(data));
      this.channel.onopen = () => this.told.live();
      const up = this.up();
      up.catch(() => {});
      await connection.setLocalDescription();
      this.headers = { authorization: `Bearer ${this.session.token}`, 'content-type': 'application/sdp' };
      const { sdp } = connection.localDescription;
      const signal = AbortSignal.timeout(CONNECT_WITHIN_MS);
      const answer = await fetch(this.session.url, {
        method: 'POST',
        headers: this.headers,
        body: sdp,
        signal,
      });
      if (answer.status !== 201) throw new Error(`the server answered ${answer.status}`);
      this.call = new URL(answer.headers.get('location'), this.session.url);
      await connection.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
      await up;
    }

    /** Once there is a way; rejects where there is none in time. Whoever waited last is told. */
    up() {
      const { connection } = this;
      return new Promise((resolve, reject) => {
        const settle = (found) => {
          clearTimeout(timer);
          connection.onconnectionstatechange = () => this.changed();
          if (found) resolve();
          else reject(new Error('no way through'));
        };
        const timer = setTimeout(() => settle(false), CONNECT_WITHIN_MS);
        connection.onconnectionstatechange = () => {
          const { connectionState } = connection;
          if (connectionState === 'connected') settle(true);
          if (connectionState === 'failed' || connectionState === 'closed') settle(false);
        };
        // The way that was lost may be back.
        if (connection.connectionState === 'connected') settle(true);
      });
    }

    changed() {
      const { connectionState } = this.connection;
      if (connectionState === 'closed') this.told.over('over');
      if (connectionState === 'disconnected' || connectionState === 'failed')
        this.search ??= this.another().finally(() => {
          this.search = null;
        });
    }

    /** Looks for another way until there is one, or the server waits no longer. */
    async another() {
      this.told.through(false);
      const end = performance.now() + ANOTHER_WAY_WITHIN_MS;
      while (this.connection.signalingState !== 'closed' && performance.now() < end) {
        try {
          if (!(await this.restart())) break;
          this.told.through(true);
          return;
        } catch {
          await pause(ASK_AGAIN_MS);
        }
      }
      this.told.over('lost');
    }

    /** Restarts ICE. False: the server has no such call any more, or hangs. */
    async restart() {
      const { connection, headers } = this;
      connection.restartIce();
      await connection.setLocalDescription();
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const { sdp } = connection.localDescription;
      const answer = await fetch(this.call, { method: 'PUT', headers, body: sdp, signal }).catch((error) => {
        if (error.name !== 'TimeoutError') throw error;
      });
      if (!answer || answer.status === 404 || answer.status === 409) return false;
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const up = this.up();
      up.catch(() => {});
      await connection.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
      await up;
      return true;
    }

    send(bytes) {
      if (this.channel.readyState === 'open') this.channel.send(bytes);
    }

    flush() {}

    mute(on) {
      for (const track of this.microphone.getTracks()) track.enabled = !on;
    }

    close() {
      if (this.call)
        fetch(this.call, { method: 'DELETE', headers: this.headers, keepalive: true }).catch(() => {});
      this.leave();
    }

    /** Leaves the way, and not the call. */
    leave() {
      this.connection?.close();
    }
  }

  class ByWebSocket {
    constructor({ session, microphone, told }) {
      Object.assign(this, { session, microphone, told });
    }

    async open() {
      const rate = Number(new URL(this.session.url).searchParams.get('rate') ?? 16_000);
      this.context = new AudioContext();
      await this.context.audioWorklet.addModule(SELF);
      const socket = new WebSocket(this.session.url, ['svc.v1', `svc-key.${this.session.token}`]);
      this.socket = socket;
      socket.binaryType = 'arraybuffer';
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => socket.close(), CONNECT_WITHIN_MS);
        socket.onopen = () => resolve(clearTimeout(timer));
        socket.onerror = () => reject(new Error('no way through'));
      });
      socket.onclose = ({ code }) => this.told.over(LOST.has(code) ? 'lost' : 'over');
      const line = new AudioWorkletNode(this.context, 'trunkline-line', { processorOptions: { rate } });
      this.line = line;
      line.port.onmessage = ({ data }) => {
        const bytes = new Uint8Array(data.byteLength + 1);
        bytes[0] = AUDIO;
        bytes.set(new Uint8Array(data), 1);
        this.send(bytes);
      };
      socket.onmessage = ({ data }) => {
        this.unanswered = 0;
        const bytes = new Uint8Array(data);
        if (bytes[0] === AUDIO) line.port.postMessage(data.slice(1));
        else this.told.frame(bytes);
      };
      this.context.createMediaStreamSource(this.microphone).connect(line).connect(this.context.destination);
      this.told.live();
    }

    send(bytes) {
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes);
    }

    flush() {
      this.line.port.postMessage('flush');
    }

    mute(on) {
      for (const track of this.microphone.getTracks()) track.enabled = !on;
    }

    /** Pings the server, and tells where nothing has come for so long. */
    watch(silentAfterMs) {
      clearInterval(this.pings);
      this.unanswered = 0;
      const isSilent = () => this.unanswered > PINGS_BEFORE_SILENCE;
      this.pings = setInterval(() => {
        this.send(frame(CONTROL, { type: 'ping' }));
        this.unanswered += 1;
        if (isSilent()) this.looks ??= this.told.silent(isSilent).finally(() => (this.looks = null));
      }, silentAfterMs / PINGS_BEFORE_SILENCE);
    }

    close() {
      this.socket?.close();
      this.context?.close();
      clearInterval(this.pings);
    }

    /** A close frame would end the call before it is resumed: the server closes a connection whose call went on elsewhere. */
    leave() {
      this.context?.close();
      clearInterval(this.pings);
      setTimeout(() => this.socket?.close(), RESUME_WITHIN_MS);
    }
  }

  /** How loud the microphone is, ten times a second. */
  class Level {
    constructor(microphone, told) {
      this.context = new AudioContext();
      const analyser = this.context.createAnalyser();
      const samples = new Float32Array(analyser.fftSize);
      this.context.createMediaStreamSource(microphone).connect(analyser);
      this.timer = setInterval(() => {
        analyser.getFloatTimeDomainData(samples);
        const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
        // -60 dBFS and less is nothing, 0 dBFS is all.
        told(Math.max(0, 1 + (10 * Math.log10(power + 1e-9)) / 60));
      }, 100);
    }

    stop() {
      clearInterval(this.timer);
      this.context.close();
    }
  }

  class TrunklineCall extends HTMLElement {
    /** Asks the page's own server for a session; a page may set a function of its own. */
    getSession = async (transport) => {
      const answer = await fetch(this.getAttribute('session'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ transport }),
      });
      if (!answer.ok) throw new Error(`the session was refused: ${answer.status}`);
      return await answer.json();
    };

    connectedCallback() {
      if (this.shadowRoot) return;
      const language = (this.getAttribute('lang') ?? document.documentElement.lang ?? 'en').slice(0, 2);
      this.texts = { ...(TEXTS[language] ?? TEXTS.en), ...this.ownTexts() };
      const { keypad, captions, level } = this.texts;
      const root = this.attachShadow({ mode: 'open' });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
      root.adoptedStyleSheets = [sheet];
      root.innerHTML = `<button class="main" part="call"></button> <button part="end" hidden></button>
<div part="consent" role="group" hidden><p></p><button class="main" part="agree"></button> <button part="decline"></button></div>
<button part="mute" aria-pressed="false" hidden></button> <meter part="level" min="0" max="1" hidden></meter> <span role="status"></span><div role="alert"></div>
<details part="keypad" hidden><summary></summary><div class="keys">${[...'123456789*0#'].map((key) => `<button data-key="${key}">${key}</button>`).join('')}</div></details>
<div role="log" aria-live="polite" tabindex="0" hidden></div>`;
      const part = (name) => root.querySelector(`[part~="${name}"]`);
      this.parts = Object.fromEntries(
        ['call', 'end', 'consent', 'agree', 'decline', 'mute', 'keypad', 'level'].map((name) => [
          name,
          part(name),
        ]),
      );
      // A page's own texts are set as text, never as HTML.
      for (const name of ['call', 'end', 'agree', 'decline', 'mute'])
        this.parts[name].textContent = this.texts[name];
      this.parts.keypad.firstElementChild.textContent = keypad;
      this.parts.level.setAttribute('aria-label', level);
      this.said = {
        status: root.querySelector('[role=status]'),
        alert: root.querySelector('[role=alert]'),
        log: root.querySelector('[role=log]'),
      };
      this.said.log.setAttribute('aria-label', captions);
      this.parts.call.onclick = () => (this.mustAgree() ? this.ask(true) : this.begin());
      this.parts.agree.onclick = () => {
        this.agreed = true;
        this.ask(false);
        this.begin();
      };
      this.parts.decline.onclick = () => this.ask(false);
      this.parts.end.onclick = () => this.hangUp();
      this.parts.mute.onclick = () => this.mute(this.parts.mute.getAttribute('aria-pressed') !== 'true');
      for (const key of root.querySelectorAll('[data-key]'))
        key.onclick = () => this.control({ type: 'dtmf', digits: key.dataset.key });
      this.show('idle');
    }

    /** A page with broken `texts` still has its button. */
    ownTexts() {
      try {
        return JSON.parse(this.getAttribute('texts') ?? '{}');
      } catch (error) {
        console.error(`<trunkline-call>: texts is not JSON: ${error.message}`);
        return {};
      }
    }

    disconnectedCallback() {
      this.hangUp();
    }

    begin() {
      this.left = Number(this.getAttribute('reconnect') ?? 1);
      this.call();
    }

    /** Who has agreed once is not asked again before the page is left. */
    mustAgree() {
      return !this.agreed && Boolean(this.getAttribute('consent'));
    }

    ask(open) {
      this.parts.consent.firstElementChild.textContent = this.getAttribute('consent');
      this.parts.consent.hidden = !open;
      this.parts.call.hidden = open;
      (open ? this.parts.agree : this.parts.call).focus();
    }

    async call() {
      if (this.state !== 'idle' && this.state !== 'over') return;
      clearTimeout(this.again);
      this.show('calling');
      this.said.log.replaceChildren();
      this.lines = new Map();
      this.token = null;
      this.spare = null;
      try {
        this.microphone = await navigator.mediaDevices.getUserMedia({
          audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
        });
      } catch {
        this.fail('microphone');
        return;
      }
      this.level = new Level(this.microphone, (loud) => {
        this.parts.level.value = loud;
      });
      const { microphone } = this;
      try {
        await this.connect();
      } catch (error) {
        if (this.microphone === microphone) this.fail('failed', error);
      }
    }

    /** By WebRTC first; the first way that gets through is taken. */
    async connect() {
      const wanted = this.getAttribute('transport');
      const both =
        this.answer && this.dataset.transport === 'websocket'
          ? ['websocket', 'webrtc']
          : ['webrtc', 'websocket'];
      const ways = both.includes(wanted) ? [wanted] : both;
      const { microphone } = this;
      let last;
      for (const transport of ways) {
        const Way = transport === 'webrtc' ? ByWebRtc : ByWebSocket;
        let way;
        try {
          const session = this.spare ?? (await this.getSession(transport));
          this.spare = null;
          if (this.microphone !== microphone) throw new Error('the caller has hung up');
          way = new Way({ session, microphone, told: this.told(() => this.way === way) });
          this.way = way;
          await way.open();
          this.dataset.transport = transport;
          return;
        } catch (error) {
          last = error;
          if (this.way === way) this.way = null;
          way?.close();
        }
      }
      throw last;
    }

    told(counts) {
      return {
        frame: (bytes) => counts() && this.take(bytes),
        live: () => {
          if (!counts()) return;
          const configure = JSON.parse(this.getAttribute('configure') ?? '{}');
          this.control({ type: 'configure', ...(this.answer ? { resume: this.token } : configure) });
        },
        through: (found) => {
          if (counts() && this.state === 'live')
            this.said.status.textContent = this.texts[found ? 'live' : 'calling'];
        },
        /** The page's own server answers, and the call's does not: it hangs, and not the network. */
        silent: async (isStill) => {
          const session = await this.getSession('websocket').catch(() => null);
          if (!session || !isStill() || !counts() || this.state !== 'live' || !this.token) return;
          this.spare = session;
          this.lose();
        },
        over: (why) => {
          if (!counts() || this.state !== 'live') return;
          if (this.answer || why === 'lost') this.lose();
          else this.finish(why);
        },
      };
    }

    lose() {
      if (this.answer) this.answer.reject(new Error('the connection broke again'));
      else if (this.token) this.resume();
      else this.callAgain();
    }

    /** A call that broke off goes on by another connection, to any node, while its token is good. */
    async resume() {
      const { microphone } = this;
      const goesOn = () => this.microphone === microphone;
      const end = performance.now() + RESUME_WITHIN_MS;
      this.tell({ event: 'connection', state: 'lost' });
      this.said.status.textContent = this.texts.calling;
      while (goesOn() && performance.now() < end) {
        this.way?.leave();
        this.way = null;
        try {
          const answered = new Promise((resolve, reject) => {
            this.answer = { resolve, reject };
          });
          answered.catch(() => {});
          await this.connect();
          const late = setTimeout(() => this.answer?.reject(new Error('no answer')), ANSWER_WITHIN_MS);
          await answered.finally(() => clearTimeout(late));
          if (!goesOn()) return;
          this.answer = null;
          this.said.alert.textContent = '';
          this.said.status.textContent = this.texts.live;
          this.tell({ event: 'connection', state: 'resumed' });
          return;
        } catch (error) {
          if (error.isFinal) break;
          await pause(RESUME_AGAIN_MS);
        }
      }
      if (!goesOn()) return;
      this.answer = null;
      this.callAgain();
    }

    /** A call that can not be resumed is begun again as a new one, as often as the page allows. */
    callAgain() {
      this.finish('over');
      this.said.alert.textContent = this.texts.lost;
      if (this.left-- > 0) this.again = setTimeout(() => this.call(), CALL_AGAIN_MS);
    }

    take(bytes) {
      const message = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
      if (bytes[0] === TRANSCRIPT) this.caption(message);
      if (bytes[0] !== CONTROL || message.event === 'pong') return;
      this.tell(message);
      if (message.event === 'configured') this.configured(message);
      if (message.event === 'barge_in') this.way.flush();
      if (message.event === 'error') this.refused(message.error);
      if (message.event === 'ended')
        message.reason === 'draining' && this.token ? this.lose() : this.finish('over');
    }

    tell(detail) {
      this.dispatchEvent(new CustomEvent('trunkline', { detail, bubbles: true, composed: true }));
    }

    configured({ resume }) {
      if (resume) this.token = resume.token;
      if (resume?.silent_after_ms) this.way.watch?.(resume.silent_after_ms);
      if (this.answer) this.answer.resolve();
      else if (this.state !== 'live') this.show('live');
    }

    refused({ code, message }) {
      if (this.answer)
        this.answer.reject(Object.assign(new Error(message), { isFinal: code === 'call_not_live' }));
      else this.said.alert.textContent = message;
    }

    caption({ role, turn_id, text }) {
      const id = `${role}${turn_id}`;
      let line = this.lines.get(id);
      if (!line) {
        line = document.createElement('p');
        this.lines.set(id, line);
        this.said.log.append(line);
      }
      line.textContent = `${role === 'user' ? this.texts.you : this.texts.agent}: ${text}`;
      this.said.log.scrollTop = this.said.log.scrollHeight;
    }

    control(message) {
      this.way?.send(frame(CONTROL, message));
    }

    mute(on) {
      this.way?.mute(on);
      this.parts.mute.setAttribute('aria-pressed', String(on));
    }

    hangUp() {
      clearTimeout(this.again);
      if (this.state !== 'live' && this.state !== 'calling') return;
      this.control({ type: 'end' });
      this.finish('over');
    }

    fail(text, error) {
      this.said.alert.textContent = error ? `${this.texts[text]}: ${error.message}` : this.texts[text];
      this.finish('over');
    }

    finish(state) {
      const { way } = this;
      this.way = null;
      way?.close();
      this.level?.stop();
      this.level = null;
      for (const track of this.microphone?.getTracks() ?? []) track.stop();
      this.microphone = null;
      this.answer?.reject(new Error('the caller has hung up'));
      this.answer = null;
      this.show(state);
    }

    show(state) {
      this.state = state;
      this.dataset.state = state;
      const busy = state === 'live' || state === 'calling';
      if (state === 'calling') this.said.alert.textContent = '';
      this.said.status.textContent = this.texts[state];
      const had = this.shadowRoot.activeElement;
      this.parts.call.hidden = busy;
      this.parts.end.hidden = !busy;
      this.parts.mute.hidden = state !== 'live';
      this.parts.keypad.hidden = state !== 'live';
      this.parts.level.hidden = state !== 'live';
      this.said.log.hidden = state === 'idle';
      this.mute(false);
      // Who works by keys does not lose their place when a button goes.
      if (had?.closest('[hidden]')) (busy ? this.parts.end : this.parts.call).focus();
    }
  }
  customElements.define('trunkline-call', TrunklineCall);
}
