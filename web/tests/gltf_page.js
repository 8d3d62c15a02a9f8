// Loads the glTF file that the page carries and tells where its bodies are.
import { AnimationMixer } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

const binary = atob(document.getElementById('data').textContent);
const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));

window.loaded = new GLTFLoader().parseAsync(bytes.buffer, '').then((gltf) => {
  const mixer = new AnimationMixer(gltf.scene);
  const [clip] = gltf.animations;
  const action = mixer.clipAction(clip);
  action.clampWhenFinished = true;
  action.setLoop(2200, 1);
  action.play();
  // three.js changes names that its own paths could not hold; the file's numbers say who is who.
  const nodes = gltf.parser.json.nodes;
  const bodies = [];
  gltf.scene.traverse((object) => {
    const at = gltf.parser.associations.get(object)?.nodes;
    if (at !== undefined && nodes[at].mesh !== undefined) bodies.push({ at, object, name: nodes[at].name });
  });
  bodies.sort((a, b) => a.at - b.at);
  window.posesAt = (t) => {
    mixer.setTime(t);
    return bodies.map(({ object }) => ({
      position: object.position.toArray(),
      orientation: [object.quaternion.w, object.quaternion.x, object.quaternion.y, object.quaternion.z],
    }));
  };
  return { duration: clip.duration, names: bodies.map(({ name }) => name) };
});
