/** A call from a page, without a library: what the guide shows, with ears. */
globalThis.begin = async ({ url, key, configure }) => {
  const connection = new RTCPeerConnection();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' };
  const microphone = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  });
  for (const track of microphone.getTracks()) connection.addTrack(track, microphone);
  const context = new AudioContext();
  const meter = context.createAnalyser();
  let place;
  const call = {
    connection,
    events: [],
    transcripts: [],
    state: 'new',
    quietFrames: 0,
    level: () => {
      const samples = new Float32Array(meter.fftSize);
      meter.getFloatTimeDomainData(samples);
      return samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    },
    say: (message) =>
      call.channel.send(new Uint8Array([3, ...new TextEncoder().encode(JSON.stringify(message))])),
    restart: async () => {
      connection.restartIce();
      await connection.setLocalDescription();
      const body = connection.localDescription.sdp;
      const answer = await fetch(place, { method: 'PUT', headers, body });
      const sdp = await answer.text();
      if (answer.status !== 200) throw new Error(`${answer.status}: ${sdp}`);
      await connection.setRemoteDescription({ type: 'answer', sdp });
    },
    heard: async () => [...(await connection.getStats()).values()].find(({ type }) => type === 'inbound-rtp'),
    end: async () => (await fetch(place, { method: 'DELETE', headers })).status,
  };
  globalThis.call = call;
  connection.ontrack = ({ streams, track }) => {
    const sound = new Audio();
    sound.muted = true;
    sound.srcObject = streams[0] ?? new MediaStream([track]);
    void sound.play();
    context.createMediaStreamSource(sound.srcObject).connect(meter);
  };
  connection.onconnectionstatechange = () => {
    call.state = connection.connectionState;
  };
  if (configure !== null) {
    const channel = connection.createDataChannel('omni');
    call.channel = channel;
    channel.binaryType = 'arraybuffer';
    channel.onopen = () => call.say(configure);
    channel.onmessage = ({ data }) => {
      const message = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 1)));
      (new Uint8Array(data)[0] === 3 ? call.events : call.transcripts).push(message);
    };
  }
  await connection.setLocalDescription();
  const answer = await fetch(url, { method: 'POST', headers, body: connection.localDescription.sdp });
  const sdp = await answer.text();
  if (answer.status !== 201) throw new Error(`${answer.status}: ${sdp}`);
  place = new URL(answer.headers.get('location'), url);
  await connection.setRemoteDescription({ type: 'answer', sdp });
  return answer.status;
};
