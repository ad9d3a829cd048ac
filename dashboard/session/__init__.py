"""What one visitor's session holds; the only code that touches ``st.session_state``."""
