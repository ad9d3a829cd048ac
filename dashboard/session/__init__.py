"""The state of one visitor's session; the only code that touches ``st.session_state``."""
