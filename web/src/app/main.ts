import { mount } from 'svelte';
import { followLinks } from '../lib/place.svelte';
import App from './App.svelte';
import './tokens.css';
import './base.css';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app');

followLinks();
mount(App, { target });
